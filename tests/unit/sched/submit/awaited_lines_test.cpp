// AwaitedLines: bsub -K tells the same lines in the same order, however many changes of the job arrive as one.
#include "sched/policy/submit/awaited_lines.hpp"

#include <gmock/gmock.h>

#include "common/base/term_reason.hpp"

namespace rollcall::sched::submit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kWaiting = "<<Waiting for dispatch ...>>";

wire::BatchReply::Awaited news(wire::JobStatus status, const std::string& host = "") {
  wire::BatchReply::Awaited awaited;
  auto& record = *awaited.mutable_job()->mutable_record();
  record.set_status(status);
  if (!host.empty()) record.add_hosts()->set_name(host);
  return awaited;
}

TEST(AwaitedLines, TellsEachStepOnce) {
  AwaitedLines lines;
  EXPECT_THAT(lines.told(news(wire::STATUS_PEND)), ElementsAre(kWaiting));
  EXPECT_THAT(lines.told(news(wire::STATUS_PEND)), IsEmpty());
  EXPECT_THAT(lines.told(news(wire::STATUS_RUN, "h1")), ElementsAre("<<Starting on h1>>"));
  EXPECT_THAT(lines.told(news(wire::STATUS_RUN, "h1")), IsEmpty());
  EXPECT_THAT(lines.told(news(wire::STATUS_DONE, "h1")), IsEmpty());
}

TEST(AwaitedLines, TellsAllStepsOfAJobThatIsAlreadyOver) {
  EXPECT_THAT(AwaitedLines().told(news(wire::STATUS_DONE, "h1")),
              ElementsAre(kWaiting, "<<Starting on h1>>"));
  EXPECT_THAT(AwaitedLines().told(news(wire::STATUS_EXIT, "h1")),
              ElementsAre(kWaiting, "<<Starting on h1>>"));
}

TEST(AwaitedLines, TellsTheStartThatCameTogetherWithTheEnd) {
  AwaitedLines lines;
  lines.told(news(wire::STATUS_PEND));
  EXPECT_THAT(lines.told(news(wire::STATUS_DONE, "h1")), ElementsAre("<<Starting on h1>>"));
}

TEST(AwaitedLines, TellsNoStartOfAJobThatNeverHadAHost) {
  auto killed = news(wire::STATUS_EXIT);
  killed.set_over(true);
  killed.set_killed_pending(true);
  EXPECT_THAT(AwaitedLines().told(killed), ElementsAre(kWaiting));
  killed.mutable_job()->mutable_record()->add_hosts()->set_name("h1");  // ordered there, never begun
  EXPECT_THAT(AwaitedLines().told(killed), ElementsAre(kWaiting));
}

TEST(AwaitedLines, TellsEverySuspensionAfterTheStart) {
  AwaitedLines lines;
  EXPECT_THAT(lines.told(news(wire::STATUS_USUSP, "h1")),
              ElementsAre(kWaiting, "<<Starting on h1>>", "<<The job was suspended by user>>"));
  EXPECT_THAT(lines.told(news(wire::STATUS_USUSP, "h1")), IsEmpty());
  EXPECT_THAT(lines.told(news(wire::STATUS_RUN, "h1")), IsEmpty());
  EXPECT_THAT(lines.told(news(wire::STATUS_SSUSP, "h1")),
              ElementsAre("<<The job was suspended by the system>>"));
}

TEST(AwaitedLines, TellsTheNextStartOfARequeuedJob) {
  AwaitedLines lines;
  lines.told(news(wire::STATUS_RUN, "h1"));
  EXPECT_THAT(lines.told(news(wire::STATUS_PEND)), IsEmpty());
  EXPECT_THAT(lines.told(news(wire::STATUS_RUN, "h2")), ElementsAre("<<Starting on h2>>"));
}

TEST(AwaitedLines, TellsTheStartOfAnInteractiveJobOnce) {
  AwaitedLines lines;
  EXPECT_THAT(lines.ready_on("h1"), ElementsAre(kWaiting, "<<Starting on h1>>"));
  EXPECT_THAT(lines.told(news(wire::STATUS_RUN, "h1")), IsEmpty());
}

TEST(AwaitedLines, TellsNothingOfAJobThatMbatchdDoesNotShow) {
  EXPECT_THAT(AwaitedLines().told(wire::BatchReply::Awaited()), IsEmpty());
}

TEST(AwaitedLines, AJobThatBkillEndedHasLsfsLine) {
  auto killed = news(wire::STATUS_EXIT);
  auto& record = *killed.mutable_job()->mutable_record();
  record.mutable_key()->set_id(2015);
  for (const auto reason : {TERM_OWNER, TERM_ADMIN, TERM_FORCE_OWNER, TERM_FORCE_ADMIN}) {
    record.set_term_reason(reason);
    killed.set_over(false);
    EXPECT_EQ(killed_line(killed), "") << "it may be requeued";
    killed.set_over(true);
    EXPECT_EQ(killed_line(killed), "<< Job <2015> has been terminated by user or administrator >>");
  }
  record.set_term_reason(TERM_RUNLIMIT);
  EXPECT_EQ(killed_line(killed), "");
}

TEST(AwaitedLines, AReasonIsALineWithoutItsSemicolon) {
  wire::BatchReply::JobView job;
  EXPECT_EQ(reason_lines(job), "");
  auto& first = *job.add_reasons();
  first.set_text("Not enough slots;");
  first.set_count(2);
  auto& second = *job.add_reasons();
  second.set_text("Not specified in job submission");
  second.set_count(1);
  job.add_reasons()->set_why("select[mem > 5]: mem is 3 on 2 hosts; ");
  EXPECT_EQ(reason_lines(job),
            "<<  Not enough slots: 2 hosts>>\n<<  Not specified in job submission: 1 host>>\n"
            "<<  select[mem > 5]: mem is 3 on 2 hosts>>");
}

}  // namespace
}  // namespace rollcall::sched::submit
