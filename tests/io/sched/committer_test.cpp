// Committer over a store whose commits fail at random: no effect leaves before its commit, no accepted job is lost, and a
// new mbatchd has what the old one showed.
#include "sched/mbatchd/committer.hpp"

#include <filesystem>
#include <map>
#include <random>

#include "tests/fakes/memory_job_store.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

namespace effect = sched::effect;
using sched::JobKey;

class CommitterTest : public sched::book::BookTest {
 protected:
  CommitterTest() {
    char name[] = "/tmp/rollcall-committer.XXXXXX";
    if (mkdtemp(name) != nullptr) directory = name;
    committer.emplace(book->rows(), std::move(*disk.open()), directory, log, handler());
    EXPECT_TRUE(committer->load(book->rows(), book->jobs(), [](const io::StoredControl&) { return false; }));
    hello("hostA");
    take();
  }
  ~CommitterTest() override { std::filesystem::remove_all(directory); }

  Committer::Handler handler() {
    return {[this](const sched::Effect& order) { check_order(order); },
            [this](io::LinkId, const wire::BatchReply& reply) { check_reply(reply); },
            [](const std::set<JobKey>&) {},
            [this](JobKey key) {
              // A job that is accepted later may have the id.
              EXPECT_FALSE(accepted.contains(key)) << "accepted, then withdrawn";
              withdrawn.insert(key);
            },
            [this] { ++kept_again; },
            [] {}};
  }
  // The host is told of an attempt only when the store has it.
  void check_order(const sched::Effect& any) {
    const auto* start = std::get_if<effect::OrderStart>(&any);
    if (start == nullptr) return;
    const auto kept = committer->store().jobs(start->key.id, start->key.index - 1, 1);
    ASSERT_TRUE(kept && kept->size() == 1U) << "a start of a job that is not kept";
    EXPECT_EQ(kept->at(0).attempt(), start->attempt);
    ++starts;
  }
  void check_reply(const wire::BatchReply& reply) {
    for (const auto& job : reply.submitted().jobs()) {
      if (job.has_refusal()) {
        ++refusals;
        continue;
      }
      accepted.insert({job.id(), 0});
      EXPECT_EQ(committer->store().jobs(job.id(), -1, 1)->size(), 1U) << "accepted before it is kept";
    }
  }

  void take() { committer->take(std::exchange(effects, {})); }
  void submit_one() {
    wire::Submit request;
    *request.add_jobs() = sched::book::plain_job();
    request.set_token(std::string(16, 't') + std::to_string(++requests));
    auto applied = book->commands().submit(request, sched::book::kAnn, now);
    committer->take(std::move(applied.effects));
    committer->reply(7, std::move(applied.reply));
  }
  // One that the Book has, if any.
  std::optional<JobKey> any_job(std::mt19937& random, wire::JobStatus status) {
    const auto& jobs = book->jobs().with_status(status);
    if (jobs.empty()) return std::nullopt;
    return *std::next(jobs.begin(), static_cast<std::ptrdiff_t>(random() % jobs.size()));
  }
  void something_happens(std::mt19937& random) {
    now.us += 1000;
    switch (random() % 4) {
      case 0:
        return submit_one();
      case 1:
        if (const auto job = any_job(random, wire::STATUS_PEND); job && !committer->failing()) dispatch(*job);
        return take();
      case 2:
        if (const auto job = any_job(random, wire::STATUS_RUN)) ends(*job, 0);
        return take();
      default:
        if (const auto job = any_job(random, wire::STATUS_PEND)) {
          ask(*job, wire::SignalJobs::SEND, sched::book::kAnn, 9);
          take();
        }
    }
  }
  std::map<JobKey, std::string> records() const {
    std::map<JobKey, std::string> all;
    for (const auto status : {wire::STATUS_PEND, wire::STATUS_RUN, wire::STATUS_DONE, wire::STATUS_EXIT})
      for (const auto key : book->jobs().with_status(status))
        all[key] = book->jobs().find(key)->record.SerializeAsString();
    return all;
  }
  std::map<JobKey, std::string> kept() {
    std::map<JobKey, std::string> all;
    const auto take_job = [&](wire::JobRecord row) {
      all[sched::key_of(row.key())] = row.SerializeAsString();
    };
    EXPECT_TRUE(
        committer->store().load({[](io::StoredSubmission) {}, take_job, [](io::StoredControl) {}, {}}));
    return all;
  }

  std::string directory;
  io::Log log{2, "committer_test", io::Level::critical};
  io::test::MemoryDisk disk;
  std::optional<Committer> committer;
  std::set<JobKey> accepted, withdrawn;
  int requests = 0, starts = 0, refusals = 0, kept_again = 0;
};

TEST_F(CommitterTest, NoJobIsLostOrToldTooEarlyWhereCommitsFail) {
  int starts_ever = 0, refusals_ever = 0;
  std::mt19937 random(20260901);
  for (int step = 0; step < 4000; ++step) {
    something_happens(random);
    if (random() % 10 == 0)
      disk.fail_next(1 + static_cast<int>(random() % 5),
                     random() % 2 == 0 ? io::StoreError::Kind::disk_full : io::StoreError::Kind::failed);
    if (random() % 2 == 0) committer->commit(true);
    if (random() % 50 != 0) continue;
    disk.fail_next(0, {});
    ASSERT_TRUE(committer->commit(true));
    ASSERT_EQ(kept(), records()) << "step " << step;
  }
  starts_ever = starts;
  refusals_ever = refusals;
  EXPECT_GT(starts_ever, 100);
  EXPECT_GT(refusals_ever, 20) << "failures were met";
  EXPECT_GT(kept_again, 20);
}

TEST_F(CommitterTest, RefusedSubmissionLeavesNothing) {
  disk.fail_next(1, io::StoreError::Kind::disk_full);
  submit_one();
  EXPECT_TRUE(committer->commit(true)) << "what is left without the submission is kept";
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(withdrawn.size(), 1U);
  EXPECT_EQ(book->jobs().size(), 0U);
  EXPECT_TRUE(kept().empty());
  submit_one();
  EXPECT_TRUE(committer->commit(true));
  EXPECT_EQ(kept(), records());
  EXPECT_EQ(accepted.size(), 1U);
}

}  // namespace
}  // namespace rollcall::mbatchd
