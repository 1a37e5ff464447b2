// Which pending jobs may be offered to other clusters.
#include "sched/policy/cycle/forwardable.hpp"

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

std::string sending_queue(const std::string& name, int priority, const std::string& more = "") {
  return queue(name, priority, "SNDJOBS_TO = receive@east\n" + more);
}
// "3 1[2]": the jobs in the order in which they are offered.
std::string forwarded_jobs(const std::string& text, std::size_t most = 100) {
  const Scenario scenario = scenario_of(kTwoHosts + text);
  std::string said;
  ForwardableJobs jobs(scenario.snapshot, scenario.now);
  for (std::size_t i = 0; i < most; ++i) {
    const auto one = jobs.next();
    if (!one) break;
    said += (said.empty() ? "" : " ") + sched::text(one->job);
  }
  return said;
}
std::string waiting_jobs(const std::string& rows) { return pending("JOB USER QUEUE ORDER\n" + rows); }

TEST(Forwardable, AreJobsOfQueuesThatSend) {
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10) + queue("local", 20) +
                           waiting_jobs("1 ann local 1\n2 ann send 2\n")),
            "2");
  EXPECT_EQ(forwarded_jobs(queue("local", 20) + waiting_jobs("1 ann local 1\n")), "");
}

TEST(Forwardable, AreInTheOrderOfACycle) {
  EXPECT_EQ(forwarded_jobs(sending_queue("low", 10) + sending_queue("high", 20) +
                           waiting_jobs("1 ann low 1\n2 ann high 9\n3 bob high 4\n4 bob low 2\n")),
            "3 2 1 4");
}

TEST(Forwardable, AreNoMoreThanAsked) {
  EXPECT_EQ(forwarded_jobs(
                sending_queue("send", 10) + waiting_jobs("1 ann send 3\n2 bob send 1\n3 cid send 2\n"), 2),
            "2 3");
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10) + pending("JOB USER QUEUE\n1[1-9] ann send\n"), 3),
            "1[1] 1[2] 1[3]");
}

TEST(Forwardable, AreWithoutTheJobsLeftOfADroppedDemand) {
  const Scenario scenario =
      scenario_of(kTwoHosts + sending_queue("send", 10) +
                  waiting_jobs("1 ann send 1\n2 bob send 2\n3 ann send 3\n4 bob send 4\n5 ann send 5\n"));
  ForwardableJobs jobs(scenario.snapshot, scenario.now);
  EXPECT_EQ(jobs.next()->job.id, 1);
  jobs.drop_demand();
  EXPECT_EQ(jobs.next()->job.id, 2);
  EXPECT_EQ(jobs.next()->job.id, 4);
  EXPECT_FALSE(jobs.next());
}

// An offer changes its job at once.
TEST(Forwardable, GoOnBehindAJobThatIsGone) {
  Scenario scenario = scenario_of(kTwoHosts + sending_queue("send", 10) +
                                  waiting_jobs("1 ann send 1\n2 ann send 2\n3 bob send 3\n4 ann send 4\n"));
  ForwardableJobs jobs(scenario.snapshot, scenario.now);
  EXPECT_EQ(jobs.next()->job.id, 1);
  for (const int gone : {1, 2}) scenario.snapshot.forget({gone, 0});
  scenario.snapshot.trim();
  EXPECT_EQ(jobs.next()->job.id, 3);
  EXPECT_EQ(jobs.next()->job.id, 4);
  EXPECT_FALSE(jobs.next());
}

// What no host here can give, one elsewhere may.
TEST(Forwardable, AreJobsThatNoHostHereCanRun) {
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10, "HOSTS = none\n") + waiting_jobs("1 ann send 1\n")),
            "1");
  EXPECT_EQ(
      forwarded_jobs(sending_queue("send", 10) + pending("JOB USER QUEUE SLOTS RES_REQ\n1 ann send 99 -\n"
                                                         "2 ann send 1 \"select[mem>5000]\"\n")),
      "1 2");
}

// -w, bstop, a requeue's pause: such a job waits here.
TEST(Forwardable, LeaveOutHeldJobs) {
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10) +
                           pending("JOB USER QUEUE HOLD\n1 ann send dependency\n2 ann send stopped\n"
                                   "3 ann send paused\n4 ann send never\n5 ann send -\n")),
            "5");
}

TEST(Forwardable, LeaveOutJobsWhoseTimeHasNotCome) {
  EXPECT_EQ(forwarded_jobs(
                sending_queue("send", 10) + sending_queue("later", 20, "NEW_JOB_SCHED_DELAY = 60\n") +
                pending("JOB USER QUEUE BEGIN AGE\n1 ann send 60 5\n2 ann later - 5\n3 ann later - 60\n")),
            "3");
}

TEST(Forwardable, LeaveOutJobsThatTheirQueueHoldsBack) {
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10) + sending_queue("shut", 20) +
                           sending_queue("night", 30, "DISPATCH_WINDOW = 20:00-6:00\n") +
                           "Begin QueueState\nQUEUE STATUS\nshut Open:Inact\nEnd QueueState\n" +
                           waiting_jobs("1 ann shut 1\n2 ann night 2\n3 ann send 3\n")),
            "3");
}

TEST(Forwardable, LeaveOutJobsAboveALimit) {
  EXPECT_EQ(forwarded_jobs(sending_queue("send", 10, "UJOB_LIMIT = 1\n") +
                           waiting_jobs("1 ann send 1\n2 bob send 2\n") +
                           running("JOB USER QUEUE HOSTS\n9 ann send (hostA)\n")),
            "2");
}

// The limit %N counts the elements that have hosts, and those that are offered now.
TEST(Forwardable, LeaveOutElementsAboveTheLimitOfTheirArray) {
  EXPECT_EQ(
      forwarded_jobs(sending_queue("send", 10) + pending("JOB USER QUEUE ARRAY_SLOTS\n1[2-9] ann send 3\n") +
                     running("JOB USER QUEUE HOSTS ARRAY_SLOTS\n1[1] ann send (hostA) 3\n")),
      "1[2] 1[3]");
}

}  // namespace
}  // namespace rollcall::sched::cycle
