// What becomes of the jobs that are shared with a cluster that never comes back.
#include "tests/unit/sched/book/book_forward_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class WriteOff : public Foreign {
 protected:
  // A job of ours that was forwarded to east, and has begun there as job 70.
  JobKey sent(bool begun, bool rerunnable = false) {
    wire::Submission asked = plain_job();
    asked.set_rerunnable(rerunnable);
    wire::Submit submit;
    *submit.add_jobs() = asked;
    const JobKey key{book->commands().submit(submit, kAnn, now).reply.submitted().jobs(0).id(), 0};
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("guests");
    book->hosts().dispatch(key, event, now);
    if (begun) tell(key, wire::STATUS_RUN);
    return key;
  }
  Effects tell(JobKey key, wire::JobStatus status) {
    report::Elsewhere told{{key, 1}, {}};
    told.job.mutable_key()->set_id(70);
    told.job.set_status(status);
    return book->hosts().host_told("@east", told, now);
  }
  ForwardedJobs::Done write_off(bool only_say = false) {
    return book->forwards().write_off("east", kRoot, only_say, now);
  }
};

TEST_F(WriteOff, SaysOfEachJobWhatBecomesOfIt) {
  const JobKey waits = sent(false), runs = sent(true), again = sent(true, true);
  const JobKey theirs_waits = here(offer(7)), theirs_runs = here(offer(8)), theirs_over = here(offer(9));
  dispatch(theirs_runs);
  recall(9);
  const auto id = [](JobKey key) { return "Job <" + text(key) + ">"; };
  const std::vector<std::string> lines{
      id(waits) + " waits in cluster <east>: it pends here again",
      id(runs) + " runs in cluster <east> as job <70>: its result is lost, it ends as EXIT",
      id(again) + " runs in cluster <east> as job <70>: its result is lost, it pends here again",
      id(theirs_waits) + ", which is job <7> of cluster <east>, has not started: it is withdrawn",
      id(theirs_runs) +
          ", which is job <8> of cluster <east>, runs on: its result is dropped CLEAN_PERIOD after its "
          "end, unless the cluster connects before",
      id(theirs_over) +
          ", which is job <9> of cluster <east>, has ended: its result is dropped CLEAN_PERIOD after "
          "that, unless the cluster connects before"};
  const auto said = write_off(true);
  EXPECT_EQ(said.lines, lines);
  EXPECT_THAT(said.effects, IsEmpty());
  EXPECT_EQ(job(runs).status(), wire::STATUS_RUN) << "it was only said";
  const auto done = write_off();
  EXPECT_EQ(done.lines, lines);
  EXPECT_EQ(job(waits).status(), wire::STATUS_PEND);
  EXPECT_EQ(job(runs).status(), wire::STATUS_EXIT);
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND);
  EXPECT_EQ(job(theirs_waits).status(), wire::STATUS_EXIT);
  EXPECT_EQ(job(theirs_runs).status(), wire::STATUS_RUN);
  EXPECT_THAT(write_off().lines, IsEmpty()) << "once";
}

// Its hosts will never say how the job ended.
TEST_F(WriteOff, EndsJobsOnHostsThatTheClusterLends) {
  wire::Submission rerunnable = plain_job();
  rerunnable.set_rerunnable(true);
  const JobKey lost{submit(plain_job()), 0}, again{submit(rerunnable), 0}, starts{submit(plain_job()), 0},
      part{submit(plain_job()), 0}, ours{submit(plain_job()), 0};
  for (const char* host : {"e1@east", "hostA"}) hello(host);
  for (const JobKey key : {lost, again, starts}) dispatch(key, {"e1@east"});
  dispatch(part, {"hostA", "e1@east"});
  dispatch(ours);
  for (const JobKey key : {lost, again, part, ours}) runs(key);
  EXPECT_EQ(book->forwards().shared_with("east").first, 4U);
  EXPECT_THAT(book->forwards().clusters(), ElementsAre("east"));
  const auto id = [](JobKey key) { return "Job <" + text(key) + ">"; };
  const std::vector<std::string> lines{
      id(lost) + " runs on a host of cluster <east>: its result is lost, it ends as EXIT",
      id(again) + " runs on a host of cluster <east>: its result is lost, it pends here again",
      id(starts) + " is being started on a host of cluster <east>: it pends here again",
      id(part) + " has a part in cluster <east>: it is ended"};
  EXPECT_EQ(write_off(true).lines, lines);
  EXPECT_EQ(status(lost), wire::STATUS_RUN) << "it was only said";
  EXPECT_EQ(write_off().lines, lines);
  EXPECT_EQ(status(lost), wire::STATUS_EXIT);
  EXPECT_EQ(job(lost).record.start_failure(), "cluster east was written off by an administrator");
  EXPECT_EQ(status(again), wire::STATUS_PEND);
  EXPECT_EQ(status(starts), wire::STATUS_PEND);
  EXPECT_TRUE(job(part).record.kill_asked());
  EXPECT_EQ(status(ours), wire::STATUS_RUN);
}

// post_done() and post_err() would wait for ever.
TEST_F(WriteOff, EndsAPostExecutionThatIsOpen) {
  const JobKey key = sent(true);
  auto end = end_of(key, 0);
  end.post_follows = true;
  tells("@east", end);
  ASSERT_EQ(job(key).record.post_status(), wire::POST_RUNNING);
  EXPECT_THAT(write_off(true).lines, ElementsAre("Job <" + text(key) +
                                                 "> has ended in cluster <east>: the result of its "
                                                 "post-execution is lost, it counts as failed"));
  EXPECT_EQ(job(key).record.post_status(), wire::POST_RUNNING) << "it was only said";
  write_off();
  EXPECT_EQ(job(key).record.post_status(), wire::POST_ERR);
}

TEST_F(WriteOff, EndsAPostExecutionThatIsOpenOnALentHost) {
  const JobKey key{submit(plain_job()), 0};
  hello("e1@east");
  dispatch(key, {"e1@east"});
  runs(key);
  auto end = end_of(key, 0);
  end.post_follows = true;
  tells("e1@east", end);
  ASSERT_EQ(job(key).record.post_status(), wire::POST_RUNNING);
  EXPECT_EQ(write_off().lines.size(), 1U);
  EXPECT_EQ(job(key).record.post_status(), wire::POST_ERR);
}

TEST_F(WriteOff, IsRecordedInTheEvents) {
  sent(true);
  int records = 0;
  for (const auto& effect : write_off().effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect);
        recorded && recorded->event.has_host_control()) {
      ++records;
      EXPECT_EQ(recorded->event.host_control().host(), "@east");
      EXPECT_EQ(recorded->event.host_control().operation(), wire::ControlBatch::WRITE_OFF_CLUSTERS);
    }
  EXPECT_EQ(records, 1);
  for (const auto& effect : write_off().effects)
    EXPECT_FALSE(std::holds_alternative<effect::RecordEvent>(effect));
}

// A cluster that comes back after all has its attempts ended: no second run counts.
TEST_F(WriteOff, EndsTheAttemptsOfAClusterThatComesBack) {
  const JobKey again = sent(true, true);
  write_off();
  report::HostCame came;
  came.jobs.push_back({{again, 1}, report::Held::State::starting, true});
  EXPECT_THAT(orders(book->hosts().host_told("@east", came, now)),
              testing::Contains(HasSubstr("OrderSignal")));
  EXPECT_THAT(orders(tell(again, wire::STATUS_RUN)), IsEmpty());
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND);
  report::Over over;
  over.attempt = {again, 1};
  over.end_us = now.us;
  EXPECT_THAT(orders(book->hosts().host_told("@east", over, now)),
              testing::Contains(HasSubstr("OrderAcknowledge")));
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND) << "only the next attempt counts";
}

TEST_F(WriteOff, KeepsTheClustersJobsNoLongerThanOthersUntilItIsBack) {
  const JobKey key = here(offer(7));
  recall(7);
  const auto clean = [&] {
    now.us += 10LL * 86'400 * 1'000'000;
    book->tick(now);
  };
  clean();
  ASSERT_NE(book->jobs().find(key), nullptr) << "it waits for its acknowledgement";
  write_off();
  EXPECT_THAT(book->forwards().is_back("west"), IsEmpty());
  EXPECT_FALSE(book->forwards().is_back("east").empty());
  clean();
  ASSERT_NE(book->jobs().find(key), nullptr) << "the cluster is back";
  EXPECT_THAT(book->forwards().held_for("east"), ElementsAre(key)) << "and is told";
  write_off();
  clean();
  EXPECT_EQ(book->jobs().find(key), nullptr);
}

}  // namespace
}  // namespace rollcall::sched::book
