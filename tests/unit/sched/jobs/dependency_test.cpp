// Dependency expressions: what can be written, and when they hold.
#include "sched/policy/jobs/dependency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::jobs {
namespace {

using testing::HasSubstr;

std::string normal(const std::string& text) {
  const auto parsed = Dependency::parse(text);
  return parsed ? parsed->text() : parsed.error().text;
}

TEST(DependencyText, IsReadAndPrinted) {
  EXPECT_EQ(normal("12"), "done(12)");
  EXPECT_EQ(normal("\"my job\""), "done(\"my job\")");
  EXPECT_EQ(normal("done(12)&&ended( 13 )"), "done(12) && ended(13)");
  EXPECT_EQ(normal("done(1) || done(2) && !done(3)"), "done(1) || done(2) && !done(3)");
  EXPECT_EQ(normal("(done(1)||done(2))&&started(name*)"), "(done(1) || done(2)) && started(\"name*\")");
  EXPECT_EQ(normal("done(1) || (done(2) || done(3))"), "done(1) || (done(2) || done(3))");
  EXPECT_EQ(normal("!(done(1) && !!ended(2))"), "!(done(1) && !!ended(2))");
  EXPECT_EQ(normal("exit(1) && exit(1,5) && exit(1, >= 34)"), "exit(1) && exit(1, == 5) && exit(1, >= 34)");
  EXPECT_EQ(normal("numdone(7,*)"), "numdone(7, *)");
  EXPECT_EQ(normal("numstart(7,<3)"), "numstart(7, < 3)");
  EXPECT_EQ(normal("done(7[*]) && ended(\"arr[3]\") && done('arr'[*])"),
            "done(7[*]) && ended(\"arr[3]\") && done(\"arr[*]\")");
  EXPECT_EQ(normal("'&&[1][2]'"), "done(\"&&[1][2]\")");
  EXPECT_THAT(normal("done(\"a[1]\"[2])"), HasSubstr("expected \")\""));
  EXPECT_EQ(normal("post_done(1) || post_err(2)"), "post_done(1) || post_err(2)");
  EXPECT_EQ(normal("done(a.b/c:d+e-f@g%h)"), "done(\"a.b/c:d+e-f@g%h\")");
}

TEST(DependencyText, SaysWhereItIsWrong) {
  EXPECT_EQ(normal(""), "dependency condition, at character 1: found the end, expected a job's id or name");
  EXPECT_EQ(normal("done(1) &&"),
            "dependency condition, at character 11: found the end, expected a job's id or name");
  EXPECT_EQ(normal("done(1) done(2)"),
            "dependency condition, at character 9: found \"done(2)\", expected \"&&\", \"||\" or the end");
  EXPECT_THAT(normal("finished(1)"), HasSubstr("expected done, ended"));
  EXPECT_THAT(normal("external(5,\"x\")"), HasSubstr("external conditions are not supported"));
  EXPECT_THAT(normal("done(0)"), HasSubstr("expected a job's id"));
  EXPECT_THAT(normal("done(1[0])"), HasSubstr("expected an index"));
  EXPECT_THAT(normal("numdone(1)"), HasSubstr("a number of elements"));
  EXPECT_THAT(normal("exit(1,x)"), HasSubstr("expected a number"));
  EXPECT_THAT(normal("done(99999999999)"), HasSubstr("expected a number"));
  EXPECT_THAT(normal("(done(1)"), HasSubstr("expected \")\""));
  EXPECT_THAT(normal("\"open"), HasSubstr("a job's name and \""));
  std::string nested(200, '(');
  nested.append("1").append(200, ')');
  EXPECT_THAT(normal(nested), HasSubstr("inside one another"));
  EXPECT_THAT(normal(std::string(20'000, '!')), HasSubstr("bytes"));
}

class Facts : public JobFacts {
 public:
  const JobTally* tally(std::int32_t id) const override {
    const auto found = tallies.find(id);
    return found == tallies.end() ? nullptr : &found->second;
  }
  const Job* find(JobKey key) const override {
    const auto found = jobs.find(key);
    return found == jobs.end() ? nullptr : &found->second;
  }
  void put(JobKey key, wire::JobStatus status, int code = 0, wire::PostStatus post = wire::POST_NONE,
           bool started = true) {
    Job& job = jobs[key];
    if (job.record.status() != wire::STATUS_NULL) count(tallies[key.id], job.record, -1);
    job.record.set_status(status);
    job.record.set_exit_status(code << 8);
    job.record.set_post_status(post);
    job.record.set_started(started && placed(status));
    count(tallies[key.id], job.record, 1);
  }
  std::string state(const std::string& expression, std::int32_t index = 0) const {
    const auto parsed = Dependency::parse(expression);
    EXPECT_TRUE(parsed) << expression;
    return std::string(text(evaluate(*parsed, index, *this)));
  }
  std::map<JobKey, Job> jobs;
  std::map<std::int32_t, JobTally> tallies;
};

TEST(JobTallies, CountAJobThatWaitsInAnotherClusterAsPending) {
  wire::JobRecord record;
  record.set_status(wire::STATUS_RUN);
  record.set_starting(true);
  record.mutable_forwarded()->set_cluster("east");
  JobTally waiting, held, running;
  count(waiting, record, 1);
  EXPECT_EQ((std::pair(waiting.pend, waiting.run)), (std::pair(1U, 0U)));
  record.set_status(wire::STATUS_USUSP);
  count(held, record, 1);
  EXPECT_EQ((std::pair(held.hold, held.by_user)), (std::pair(1U, 0U)));
  record.set_status(wire::STATUS_RUN);
  record.set_starting(false);
  count(running, record, 1);
  EXPECT_EQ((std::pair(running.pend, running.run)), (std::pair(0U, 1U)));
  count(running, record, -1);
  EXPECT_EQ(running, JobTally());
}

TEST(DependencyState, EachConditionFollowsTheStatusOfOneJob) {
  struct Row {
    wire::JobStatus status;
    int code;
    const char *done, *ended, *exit, *exit_3, *started;
  };
  const Row table[] = {
      {wire::STATUS_PEND, 0, "not yet", "not yet", "not yet", "not yet", "not yet"},
      {wire::STATUS_PSUSP, 0, "not yet", "not yet", "not yet", "not yet", "not yet"},
      {wire::STATUS_RUN, 0, "not yet", "not yet", "not yet", "not yet", "satisfied"},
      {wire::STATUS_USUSP, 0, "not yet", "not yet", "not yet", "not yet", "satisfied"},
      {wire::STATUS_UNKWN, 0, "not yet", "not yet", "not yet", "not yet", "satisfied"},
      {wire::STATUS_DONE, 0, "satisfied", "satisfied", "never", "never", "satisfied"},
      {wire::STATUS_EXIT, 3, "never", "satisfied", "satisfied", "satisfied", "satisfied"},
      {wire::STATUS_EXIT, 2, "never", "satisfied", "satisfied", "never", "satisfied"},
  };
  for (const Row& row : table) {
    Facts facts;
    facts.put({1, 0}, row.status, row.code);
    EXPECT_EQ(facts.state("done(1)"), row.done) << row.status;
    EXPECT_EQ(facts.state("ended(1)"), row.ended) << row.status;
    EXPECT_EQ(facts.state("exit(1)"), row.exit) << row.status;
    EXPECT_EQ(facts.state("exit(1, >= 3)"), row.exit_3) << row.status;
    EXPECT_EQ(facts.state("started(1)"), row.started) << row.status;
  }
}

TEST(DependencyState, ConditionOnAMissingJobIsNever) {
  const Facts facts;
  EXPECT_EQ(facts.state("done(1)"), "never");
  EXPECT_EQ(facts.state("!done(1)"), "satisfied");
  EXPECT_EQ(facts.state("done(1) || done(2)"), "never");
}

TEST(DependencyState, ConditionOnPostExecutionFollowsItsEnd) {
  Facts facts;
  facts.put({1, 0}, wire::STATUS_DONE, 0, wire::POST_RUNNING);
  EXPECT_EQ(facts.state("post_done(1)"), "not yet");
  EXPECT_EQ(facts.state("post_err(1)"), "not yet");
  facts.put({1, 0}, wire::STATUS_DONE, 0, wire::POST_ERR);
  EXPECT_EQ(facts.state("post_done(1)"), "never");
  EXPECT_EQ(facts.state("post_err(1)"), "satisfied");
  facts.put({1, 0}, wire::STATUS_DONE, 0, wire::POST_NONE);
  EXPECT_EQ(facts.state("post_done(1)"), "satisfied");
}

TEST(DependencyState, ConditionOnAnArrayCountsAllElements) {
  Facts facts;
  for (int i = 1; i <= 4; ++i) facts.put({1, i}, wire::STATUS_PEND);
  facts.put({1, 1}, wire::STATUS_DONE);
  facts.put({1, 2}, wire::STATUS_RUN);
  EXPECT_EQ(facts.state("done(1)"), "not yet");
  EXPECT_EQ(facts.state("done(1[1]) && !done(1[2])"), "satisfied");
  EXPECT_EQ(facts.state("done(1[9])"), "never");
  EXPECT_EQ(facts.state("numdone(1, >= 1)"), "satisfied");
  EXPECT_EQ(facts.state("numdone(1, > 4)"), "never");
  EXPECT_EQ(facts.state("numdone(1, *)"), "not yet");
  EXPECT_EQ(facts.state("numdone(1, 0)"), "never");
  EXPECT_EQ(facts.state("numrun(1, 1) && numpend(1, 2) && numhold(1, 0)"), "satisfied");
  EXPECT_EQ(facts.state("numrun(1, 4)"), "never");
  EXPECT_EQ(facts.state("numrun(1, 3)"), "not yet");
  EXPECT_EQ(facts.state("numrun(1, 2)"), "not yet") << "it lies between the least and the most";
  EXPECT_EQ(facts.state("done(1[*])", 1), "satisfied");
  EXPECT_EQ(facts.state("done(1[*])", 2), "not yet");
  EXPECT_EQ(facts.state("done(1[*])", 9), "never");
  facts.put({1, 2}, wire::STATUS_EXIT, 9);
  EXPECT_EQ(facts.state("done(1)"), "never");
  EXPECT_EQ(facts.state("numdone(1, *)"), "never");
  EXPECT_EQ(facts.state("numdone(1, <= 3)"), "satisfied");
  EXPECT_EQ(facts.state("ended(1)"), "not yet");
}

TEST(DependencyState, NeverIsOnlyWhatNoChangeCanSatisfy) {
  Facts facts;
  facts.put({1, 0}, wire::STATUS_EXIT, 1);
  facts.put({2, 0}, wire::STATUS_RUN);
  EXPECT_EQ(facts.state("done(1) || done(2)"), "not yet");
  EXPECT_EQ(facts.state("done(1) && done(2)"), "never");
  EXPECT_EQ(facts.state("!done(1) && done(2)"), "not yet");
  EXPECT_EQ(facts.state("!(done(1) && done(2))"), "satisfied");
  EXPECT_EQ(facts.state("!done(2)"), "satisfied");
}

TEST(DependencyNames, AreBoundOnce) {
  const auto parsed = Dependency::parse("done(\"a\") || !ended(\"b*\")");
  ASSERT_TRUE(parsed);
  const auto ids = [](std::string_view name) -> std::vector<std::int32_t> {
    if (name == "a") return {9, 4};
    if (name == "b*") return {7, 3};
    return {};
  };
  const auto known = [](std::int32_t id) { return id < 10; };
  const auto bound = parsed->bound(ids, known);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->text(), "done(9) || !(ended(7) && ended(3))");
  EXPECT_EQ(Dependency::parse("done(c)")->bound(ids, known).error().text, "c: No matching job found");
  EXPECT_EQ(Dependency::parse("done(10)")->bound(ids, known).error().text, "Job <10> is not found");
}

TEST(DependencyNames, WhatWasBoundIsReadAgain) {
  std::string deep(kDeepestDependency - 1, '!');
  deep.append("\"x*\"");
  const auto parsed = Dependency::parse(deep);
  ASSERT_TRUE(parsed);
  const auto bound =
      parsed->bound([](std::string_view) { return std::vector<std::int32_t>(1000, 2'000'000'000); },
                    [](std::int32_t) { return true; });
  ASSERT_TRUE(bound);
  const auto again = Dependency::parse_bound(bound->text());
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->text(), bound->text());
}

TEST(ExitCode, IsMadeFromAWaitStatus) {
  EXPECT_EQ(exit_code_of_status(0), 0);
  EXPECT_EQ(exit_code_of_status(3 << 8), 3);
  EXPECT_EQ(exit_code_of_status(137 << 8), 137);
  EXPECT_EQ(exit_code_of_status(9), 137);
}

}  // namespace
}  // namespace rollcall::sched::jobs
