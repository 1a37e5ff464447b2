// Which jobs a filter means, a piece at a time: the same as all at once, and what holds when jobs change between the pieces.
#include <map>
#include <random>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class BookSelect : public BookTest {
 protected:
  std::vector<JobKey> in_pieces(const wire::JobFilter& filter, const Identity& who, std::size_t most,
                                Selects what = Selects::jobs) {
    const auto work = book->jobs().begin_select(filter, who, what);
    std::vector<JobKey> jobs;
    for (bool last = false; !last;) {
      const auto some = book->jobs().select_some(*work, most);
      EXPECT_LE(some.jobs.size(), most);
      jobs.insert(jobs.end(), some.jobs.begin(), some.jobs.end());
      last = some.last;
    }
    return jobs;
  }

  // Arrays and jobs of two users in two queues, some of them done and some running.
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      auto asked = i % 5 == 0 ? array_job(7) : plain_job();
      if (i % 3 == 0) asked.set_job_name("same");
      if (i % 4 == 0) asked.add_queues("special");
      const auto id = submit(asked, i % 2 == 0 ? kAnn : kBob);
      for (const JobKey key : book->jobs().elements(id)) {
        if (random() % 3 == 0) continue;
        dispatch(key);
        runs(key);
        if (random() % 2 == 0) ends(key, random() % 2 == 0 ? 0 : 256);
      }
    }
  }

  wire::JobFilter any_filter() {
    wire::JobFilter filter;
    const auto one_in = [this](unsigned n) { return random() % n == 0; };
    if (one_in(2)) filter.set_user(one_in(2) ? "all" : one_in(2) ? "bob" : "dev");
    if (one_in(4)) filter.set_queue("special");
    if (one_in(4)) filter.set_host(one_in(2) ? "hostA" : "big");
    if (one_in(4)) filter.set_job_name(one_in(2) ? "same" : "a*");
    if (one_in(4)) filter.set_finished_too(true);
    if (one_in(3)) filter.add_statuses(wire::STATUS_PEND);
    if (one_in(4)) filter.add_statuses(wire::STATUS_RUN);
    while (one_in(3)) {
      auto& key = *filter.add_keys();
      key.set_id(static_cast<std::int32_t>(1 + random() % 30));
      key.set_index(one_in(2) ? 0 : static_cast<std::int32_t>(1 + random() % 9));
    }
    while (one_in(4)) {
      auto& list = *filter.add_index_lists();
      list.set_id(static_cast<std::int32_t>(1 + random() % 30));
      auto& range = *list.add_indices();
      range.set_first(static_cast<std::int32_t>(1 + random() % 9));
      range.set_last(static_cast<std::int32_t>(range.first() + random() % 5));
      range.set_step(static_cast<std::int32_t>(1 + random() % 3));
    }
    return filter;
  }

  std::mt19937 random{51};
};

TEST_F(BookSelect, JobsComeInTheOrderOfTheIdsThatAreGiven) {
  for (int i = 0; i < 3; ++i) submit(plain_job());
  wire::JobFilter filter;
  for (const int id : {3, 1, 7, 2, 1}) filter.add_keys()->set_id(id);
  const std::vector<JobKey> expected{{3, 0}, {1, 0}, {2, 0}};
  EXPECT_EQ(book->jobs().select(filter, kAnn).jobs, expected);
  EXPECT_EQ(in_pieces(filter, kAnn, 1), expected);
}

TEST_F(BookSelect, PiecesAreWhatIsSelectedAtOnce) {
  fill(30);
  std::size_t selected = 0;
  for (int round = 0; round < 300; ++round) {
    const auto filter = any_filter();
    const auto all = book->jobs().select(filter, kAnn).jobs;
    const bool by_id = filter.keys_size() + filter.index_lists_size() > 0;
    EXPECT_TRUE(by_id || std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(in_pieces(filter, kAnn, 1 + random() % 5), all);
    selected += all.size();
  }
  EXPECT_GT(selected, 1000U) << "filters that select hardly anything test hardly anything";
}

TEST_F(BookSelect, AJobThatFitsAllTheTimeIsSelectedOnceHoweverOthersChange) {
  fill(30);
  wire::JobFilter filter;
  filter.set_user("all");
  const auto before = book->jobs().select(filter, kAnn).jobs;
  const auto work = book->jobs().begin_select(filter, kAnn);
  std::map<JobKey, int> seen;
  for (bool last = false; !last;) {
    const auto some = book->jobs().select_some(*work, 3);
    for (const JobKey key : some.jobs) ++seen[key];
    last = some.last;
    submit(plain_job());
    const JobKey changed = before[random() % before.size()];
    if (status(changed) == wire::STATUS_PEND) {
      dispatch(changed);
      runs(changed);
    } else if (status(changed) == wire::STATUS_RUN && random() % 4 == 0) {
      ends(changed, 0);
    }
  }
  for (const JobKey key : before) {
    const int times = seen[key];
    if (finished(status(key)))
      EXPECT_LE(times, 1) << text(key);
    else
      EXPECT_EQ(times, 1) << text(key);
  }
  for (const auto& [key, times] : seen) EXPECT_LE(key, before.back()) << "it was submitted meanwhile";
}

TEST_F(BookSelect, OneElementStandsForItsArray) {
  submit(plain_job());
  const auto array = submit(array_job(50));
  const auto other = submit(array_job(3));
  EXPECT_EQ(in_pieces({}, kAnn, 4, Selects::arrays), (std::vector<JobKey>{{array, 1}, {other, 1}}));
}

TEST_F(BookSelect, SlotSumsAreThoseOfTheJobs) {
  fill(40);
  for (const char* user : {"", "all", "bob", "dev"})
    for (const char* queue : {"", "special"})
      for (const bool finished_too : {false, true}) {
        wire::JobFilter filter;
        filter.set_user(user);
        filter.set_queue(queue);
        filter.set_finished_too(finished_too);
        SlotSums expected;
        for (const JobKey key : book->jobs().select(filter, kAnn).jobs) {
          auto& sum = expected[status(key)];
          ++sum.jobs;
          sum.slots += status(key) == wire::STATUS_RUN ? 1 : std::max(1U, job(key).asked->min_slots());
        }
        const auto sums = book->jobs().slot_sums(*book->jobs().begin_select(filter, kAnn));
        ASSERT_TRUE(sums);
        EXPECT_EQ(*sums, expected) << user << " " << queue;
      }
  wire::JobFilter by_name;
  by_name.set_job_name("same");
  EXPECT_FALSE(book->jobs().slot_sums(*book->jobs().begin_select(by_name, kAnn))) << "no counter has it";
}

// bjobs -m east, bjobs -m n2@east: jobs of ours that were forwarded.
TEST_F(BookSelect, AClusterOrAHostOfItNamesJobsThatWereForwarded) {
  auto files = site_files();
  auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
  for (const char* name : {"east", "north"}) cluster->shared.clusters.emplace_back().name = name;
  files.cluster = cluster;
  book->configure(files, now);
  const auto forwarded = [&](bool begun) {
    const JobKey key{submit(plain_job()), 0};
    event::Dispatched plan;
    plan.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    plan.forwarded.emplace().set_cluster("east");
    book->hosts().dispatch(key, plan, now);
    if (!begun) return key;
    report::Elsewhere told{attempt(key), {}};
    told.job.mutable_key()->set_id(70);
    told.job.set_status(wire::STATUS_RUN);
    auto& host = *told.job.add_hosts();
    host.set_name("n2");
    host.set_slots(1);
    tells("@east", told);
    return key;
  };
  const JobKey waits = forwarded(false), runs_there = forwarded(true);
  const JobKey here{submit(plain_job()), 0};
  dispatch(here);
  const auto on = [&](const std::string& host) {
    wire::JobFilter filter;
    filter.set_host(host);
    return book->jobs().select(filter, kAnn);
  };
  EXPECT_THAT(on("east").jobs, ElementsAre(waits, runs_there));
  EXPECT_THAT(on("all@east").jobs, ElementsAre(waits, runs_there));
  EXPECT_THAT(on("n2@east").jobs, ElementsAre(runs_there));
  EXPECT_THAT(on("n3@east").jobs, testing::IsEmpty());
  EXPECT_FALSE(on("n3@east").refusal);
  EXPECT_THAT(on("north").jobs, testing::IsEmpty());
  EXPECT_THAT(on("lab").jobs, ElementsAre(here)) << "this cluster: its own hosts";
  ASSERT_TRUE(on("south").refusal);
  EXPECT_EQ(on("south").refusal->text(), "south: No such host or host group");
  ends(runs_there, 0);
  wire::JobFilter finished;
  finished.set_host("n2@east");
  finished.set_finished_too(true);
  EXPECT_THAT(book->jobs().select(finished, kAnn).jobs, ElementsAre(runs_there));
}

}  // namespace
}  // namespace rollcall::sched::book
