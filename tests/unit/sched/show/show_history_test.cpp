// bhist, bacct and the hist commands of badmin, byte for byte as in sessions with LSF 10.1, with our own names.
#include "sched/policy/show/show_history.hpp"

#include <gtest/gtest.h>

#include "sched/policy/show/show_accounts.hpp"
#include "tests/unit/sched/show/show_fixtures.hpp"

namespace rollcall::sched::show {
namespace {

// The life of the fixture's job, up to now or to its end.
class Life {
 public:
  Life() {
    auto shown = running_job();
    auto& event = at(0);
    event.mutable_new_job()->set_queue("normal");
    *event.mutable_new_job()->mutable_asked() = shown.asked;
    auto& start = *at(1).mutable_start();
    *start.mutable_hosts() = shown.job().hosts();
    start.set_effective_resreq("select[type == local] order[r15s:pg]");
    at(3).mutable_start_accept()->set_pid(313588);
    auto& execute = *at(3).mutable_execute();
    execute.set_home("/home/annas");
    execute.set_cwd("/home/annas");
    execute.set_pid(313588);
  }
  wire::JobEvent& at(int second) {
    auto& event = events_.emplace_back();
    event.set_at_us((kMay10 + second) * 1'000'000);
    event.mutable_key()->set_id(24520);
    return event;
  }
  JobHistory history() const {
    Histories all;
    for (const auto& event : events_) all.add(event);
    return all.jobs().at(0);
  }

 private:
  std::vector<wire::JobEvent> events_;
};

TEST(HistoryTable, IsThatOfARealSession) {
  EXPECT_EQ(history_header() + history_row(Life().history(), false, wall_seconds(kMay10 + 458)),
            "Summary of time in seconds spent in various states:\n"
            "JOBID   USER    JOB_NAME  PEND    PSUSP   RUN     USUSP   SSUSP   UNKWN   TOTAL\n"
            "24520   annas   *tjob.sh  1       0       457     0       0       0       458\n");
  EXPECT_EQ(history_row(Life().history(), true, wall_seconds(kMay10 + 463)),
            "24520   annas   ./testjob.sh 1       0       462     0       0       0       463\n");
}

TEST(HistoryTable, IsARecordWithJson) {
  EXPECT_EQ(history_record(Life().history(), wall_seconds(kMay10 + 458)),
            "    {\n      \"JOBID\":\"24520\",\n      \"USER\":\"annas\",\n"
            "      \"JOB_NAME\":\".\\/testjob.sh\",\n      \"STAT\":\"RUN\",\n      \"PEND\":\"1\",\n"
            "      \"PSUSP\":\"0\",\n      \"RUN\":\"457\",\n      \"USUSP\":\"0\",\n      \"SSUSP\":\"0\",\n"
            "      \"UNKWN\":\"0\",\n      \"TOTAL\":\"458\"\n    }");
}

// The job has ended while mbatchd was away: its own end counts, and no part of a second is rounded up.
TEST(HistoryTable, ChargesTheAbsenceOfMbatchdToNoState) {
  Life life;
  auto& event = life.at(700);
  auto& status = *event.mutable_status();
  status.set_status(wire::STATUS_DONE);
  status.set_end_us((kMay10 + 60) * 1'000'000 + 700'000);
  EXPECT_EQ(history_row(life.history(), false, wall_seconds(kMay10 + 900)),
            "24520   annas   *tjob.sh  1       0       59      0       0       0       60\n");
  const std::string block = history_block(life.history(), Wrapping::none, shown_at(kMay10 + 900));
  EXPECT_NE(block.find("Tue May 10 21:10:22: Done successfully."), std::string::npos) << block;
}

// The clusters were cut off from each other: the job was UNKWN, and it had ended before that.
TEST(HistoryTable, AnEndThatIsHeardLateLeavesNoTimeBehindIt) {
  Life life;
  life.at(600).mutable_status()->set_status(wire::STATUS_UNKWN);
  auto& status = *life.at(700).mutable_status();
  status.set_status(wire::STATUS_DONE);
  status.set_end_us((kMay10 + 60) * 1'000'000);
  auto& post = *life.at(700).mutable_status();
  post.set_status(wire::STATUS_DONE);
  post.set_post(wire::POST_DONE);
  post.set_end_us((kMay10 + 60) * 1'000'000);
  EXPECT_EQ(history_row(life.history(), false, wall_seconds(kMay10 + 900)),
            "24520   annas   *tjob.sh  1       0       59      0       0       0       60\n");
  const std::string block = history_block(life.history(), Wrapping::none, shown_at(kMay10 + 900));
  const auto done = block.find("Tue May 10 21:10:22: Done successfully."),
             unknown = block.find("Tue May 10 21:19:22: Unknown; unable to reach the execution host;");
  ASSERT_NE(done, std::string::npos) << block;
  ASSERT_NE(unknown, std::string::npos) << block;
  EXPECT_LT(done, unknown) << "in the order of time";
}

TEST(HistoryTable, AnAttemptThatIsOverIsNotShownToRunLater) {
  Life life;
  life.at(600).mutable_status()->set_status(wire::STATUS_USUSP);
  life.at(610).mutable_status()->set_status(wire::STATUS_RUN);
  auto& status = *life.at(700).mutable_status();
  status.set_status(wire::STATUS_DONE);
  status.set_end_us((kMay10 + 650) * 1'000'000);
  const auto shows = [&life](const char* line) {
    return history_block(life.history(), Wrapping::none, shown_at(kMay10 + 900)).find(line) !=
           std::string::npos;
  };
  EXPECT_TRUE(shows(": Suspended by the user or administrator;"));
  EXPECT_TRUE(shows(": Running;"));
  status.set_end_us((kMay10 + 60) * 1'000'000);
  EXPECT_TRUE(shows(": Done successfully."));
  EXPECT_FALSE(shows(": Suspended by the user or administrator;"));
  EXPECT_FALSE(shows(": Running;"));
}

// The clock was set back, or is a host's.
TEST(HistoryTable, WhatIsNoEndTakesNoLineAway) {
  Life life;
  life.at(600).mutable_status()->set_status(wire::STATUS_USUSP);
  life.at(590).mutable_signal()->set_symbol("CONT");
  EXPECT_NE(history_block(life.history(), Wrapping::none, shown_at(kMay10 + 900))
                .find(": Suspended by the user or administrator;"),
            std::string::npos);
}

TEST(HistoryTable, AnAttemptThatWasTakenBackInACutPendsSinceThen) {
  Life life;
  life.at(600).mutable_status()->set_status(wire::STATUS_UNKWN);
  auto& status = *life.at(700).mutable_status();
  status.set_status(wire::STATUS_PEND);
  status.set_why("its slots are taken back");
  status.set_end_us((kMay10 + 60) * 1'000'000);
  EXPECT_EQ(history_row(life.history(), false, wall_seconds(kMay10 + 900)),
            "24520   annas   *tjob.sh  841     0       59      0       0       0       900\n");
  life.at(800).mutable_start()->set_attempt(2);
  EXPECT_EQ(history_row(life.history(), false, wall_seconds(kMay10 + 900)),
            "24520   annas   *tjob.sh  741     0       159     0       0       0       900\n");
}

// A host whose clock is behind.
TEST(HistoryBlock, NoEndStandsBeforeItsStart) {
  Life life;
  auto& status = *life.at(4).mutable_status();
  status.set_status(wire::STATUS_DONE);
  status.set_end_us((kMay10 + 2) * 1'000'000);
  const std::string block = history_block(life.history(), Wrapping::none, shown_at(kMay10 + 900));
  EXPECT_LT(block.find("Execution Pid"), block.find("Done successfully")) << block;
}

// An order that waits for its cluster changes no state.
TEST(HistoryTable, KeepsTheStateOverANote) {
  Life life;
  life.at(60).mutable_status()->set_why("The order to stop the job waits until cluster <east> is connected");
  EXPECT_EQ(history_row(life.history(), false, wall_seconds(kMay10 + 458)),
            "24520   annas   *tjob.sh  1       0       457     0       0       0       458\n");
  const std::string block = history_block(life.history(), Wrapping::none, shown_at(kMay10 + 458));
  EXPECT_NE(block.find(": The order to stop the job waits until cluster <east> is connected;\n"),
            std::string::npos)
      << block;
}

TEST(HistoryBlock, IsThatOfARealSession) {
  EXPECT_EQ(history_block(Life().history(), Wrapping::at_80, shown_at(kMay10 + 484)),
            "\n"
            "Job <24520>, User <annas>, Project <default>, Command <./testjob.sh>\n"
            "Tue May 10 21:09:22: Submitted from host <kilenc>, to Queue <normal>, CWD <$HOM\n"
            "                     E>, Output File </home/annas/output.%J>, Error File </home\n"
            "                     /annas/error.%J>;\n"
            "Tue May 10 21:09:23: Dispatched 1 Task(s) on Host(s) <kilenc>, Allocated 1 Slot\n"
            "                     (s) on Host(s) <kilenc>, Effective RES_REQ <select[type ==\n"
            "                      local] order[r15s:pg] >;\n"
            "Tue May 10 21:09:25: Starting (Pid 313588);\n"
            "Tue May 10 21:09:25: Running with execution home </home/annas>, Execution CWD <\n"
            "                     /home/annas>, Execution Pid <313588>;\n"
            "\n"
            "\n"
            "Summary of time in seconds spent in various states by  Tue May 10 21:17:26\n"
            "  PEND     PSUSP    RUN      USUSP    SSUSP    UNKWN    TOTAL\n"
            "  1        0        483      0        0        0        484\n");
}

TEST(HistoryBlock, EndedJobHasItsReasonAndTimes) {
  Life life;
  auto& signal = *life.at(100).mutable_signal();
  signal.set_symbol("KILL");
  signal.set_user("annas");
  auto& status = *life.at(347).mutable_status();
  status.set_status(wire::STATUS_EXIT);
  status.set_exit_status(137 << 8);
  status.set_term_reason(14);
  status.mutable_usage()->set_user_s(2.06);
  status.mutable_usage()->set_max_memory_kb(12 * 1024);
  status.mutable_usage()->set_average_memory_kb(11 * 1024);
  const std::string text = history_block(life.history(), Wrapping::at_80, shown_at(kMay10 + 4000));
  EXPECT_NE(text.find("Tue May 10 21:11:02: Signal <KILL> requested by user or administrator <annas>;\n"
                      "Tue May 10 21:15:09: Exited with exit code 137. The CPU time used is 2.1 second\n"
                      "                     s;\n"
                      "Tue May 10 21:15:09: Completed <exit>; TERM_OWNER: job killed by owner;\n"
                      "\n"
                      "\n"
                      "MEMORY USAGE:\n"
                      "MAX MEM: 12 Mbytes;  AVG MEM: 11 Mbytes\n"
                      "\n"
                      "Summary of time in seconds spent in various states by  Tue May 10 21:15:09\n"
                      "  PEND     PSUSP    RUN      USUSP    SSUSP    UNKWN    TOTAL\n"
                      "  1        0        346      0        0        0        347\n"),
            std::string::npos)
      << text;
}

TEST(HistoryBlock, DoneJobHasTheEndOfItsPostExecution) {
  Life life;
  auto& status = *life.at(303).mutable_status();
  status.set_status(wire::STATUS_DONE);
  status.mutable_usage()->set_user_s(302);
  auto& post = *life.at(303).mutable_status();
  post.set_status(wire::STATUS_DONE);
  post.set_post(wire::POST_DONE);
  post.mutable_usage()->set_user_s(302);  // as the Book tells it: the end is said once all the same
  const std::string text = history_block(life.history(), Wrapping::at_80, shown_at(kMay10 + 4000));
  EXPECT_NE(text.find("Tue May 10 21:14:25: Done successfully. The CPU time used is 302.0 seconds;\n"
                      "Tue May 10 21:14:25: Post job process done successfully;\n"),
            std::string::npos)
      << text;
}

TEST(HistoryBlock, NamesTheClusterThatAJobCameFrom) {
  Histories all;
  wire::JobEvent event;
  event.set_at_us(kMay10 * 1'000'000);
  event.mutable_key()->set_id(7);
  auto& told = *event.mutable_new_job();
  told.set_queue("receive");
  told.mutable_asked()->set_from_host("n1");
  told.mutable_record()->mutable_from()->set_cluster("west");
  told.mutable_record()->mutable_from()->mutable_key()->set_id(12);
  all.add(event);
  auto& accept = *event.mutable_accept();
  accept.set_cluster("west");
  accept.mutable_there()->set_id(12);
  accept.set_queue("receive");
  accept.set_came(true);
  all.add(event);
  const std::string block = history_block(all.jobs().at(0), Wrapping::none, shown_at(kMay10));
  EXPECT_NE(block.find("Submitted from host <n1@west:12>, to Queue <receive>"), std::string::npos) << block;
  EXPECT_NE(block.find("Accepted from cluster west as its job <12>, queue <receive>;"), std::string::npos)
      << block;
}

TEST(Histories, ElementsShareWhatIsOfTheirArray) {
  Histories all;
  wire::JobEvent submitted;
  submitted.set_at_us(kMay10 * 1'000'000);
  submitted.mutable_key()->set_id(7);
  submitted.mutable_new_job()->mutable_asked()->set_user("annas");
  submitted.mutable_new_job()->mutable_asked()->set_job_name("grid");
  all.add(submitted);
  for (const int index : {1, 2}) {
    wire::JobEvent event;
    event.set_at_us((kMay10 + index) * 1'000'000);
    event.mutable_key()->set_id(7);
    event.mutable_key()->set_index(index);
    event.mutable_start()->set_attempt(1);
    all.add(event);
  }
  const auto jobs = all.jobs();
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(history_row(jobs[1], false, wall_seconds(kMay10 + 10)),
            "7[2]    annas   grid[2]   2       0       8       0       0       0       10\n");
}

TEST(SystemLines, AreThoseOfTheManual) {
  wire::JobEvent event;
  event.set_at_us(kMay10 * 1'000'000);
  auto& host = *event.mutable_host_control();
  host.set_operation(wire::ControlBatch::HOST_CLOSE);
  host.set_host("hostB");
  host.set_user("lsf");
  EXPECT_EQ(system_line(event, shown_at(kMay10)),
            "Tue May 10 21:09:22: Host <hostB> closed by administrator <lsf>.\n");
  host.set_host("@east");
  host.set_operation(wire::ControlBatch::FORGET_CLUSTERS);
  EXPECT_EQ(system_line(event, shown_at(kMay10)),
            "Tue May 10 21:09:22: Store of host <@east> accepted by administrator <lsf>.\n");
  auto& queue = *event.mutable_queue_control();
  queue.set_operation(wire::ControlBatch::QUEUE_INACTIVATE);
  queue.set_queue("night");
  queue.set_user("lsf");
  EXPECT_EQ(system_line(event, shown_at(kMay10)),
            "Tue May 10 21:09:22: Queue <night> inactivated by administrator <lsf>.\n");
}

Finish finished_job() {
  auto shown = running_job();
  Finish finish;
  *finish.mutable_asked() = shown.asked;
  auto& record = *finish.mutable_record();
  record = shown.job();
  record.set_status(wire::STATUS_DONE);
  record.set_end_us((kMay10 + 669) * 1'000'000);
  record.mutable_usage()->set_user_s(3.37);
  return finish;
}

constexpr const char* kPreface =
    "\n"
    "Accounting information about jobs that are: \n"
    "  - submitted by all users.\n"
    "  - accounted on all projects.\n"
    "  - completed normally or exited\n"
    "  - executed on all hosts.\n"
    "  - submitted to all queues.\n"
    "  - accounted on all service classes.\n"
    "  - accounted to all RC accounts.\n"
    "------------------------------------------------------------------------------\n"
    "\n";

TEST(Accounts, PrefaceIsThatOfARealSession) {
  wire::AskFinished ask;
  ask.mutable_filter()->add_keys()->set_id(24520);
  EXPECT_EQ(accounts_preface(ask, "annas", shown_at(kMay10)), kPreface);
}

TEST(Accounts, PrefaceSaysWhatWasAsked) {
  wire::AskFinished ask;
  ask.add_queues("night");
  ask.add_queues("normal");
  ask.set_only_exited(true);
  ask.set_completed_from_us(kMay10 * 1'000'000);
  const std::string text = accounts_preface(ask, "annas", shown_at(kMay10));
  EXPECT_NE(text.find("  - submitted by users annas.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  - exited\n"), std::string::npos);
  EXPECT_NE(text.find("  - submitted to queues night, normal.\n"), std::string::npos);
  EXPECT_NE(text.find("  - completed between Tue May 10 21:09:22, and now\n"), std::string::npos);
}

TEST(Accounts, SummaryIsThatOfARealSession) {
  AccountSummary summary;
  summary.add(finished_job());
  EXPECT_EQ(summary.text(),
            "SUMMARY:      ( time unit: second ) \n"
            " Total number of done jobs:       1      Total number of exited jobs:     0\n"
            " Total CPU time consumed:       3.4      Average CPU time consumed:     3.4\n"
            " Maximum CPU time of a job:     3.4      Minimum CPU time of a job:     3.4\n"
            " Total wait time in queues:     1.0\n"
            " Average wait time in queue:    1.0\n"
            " Maximum wait time in queue:    1.0      Minimum wait time in queue:    1.0\n"
            " Average turnaround time:       669 (seconds/job)\n"
            " Maximum turnaround time:       669      Minimum turnaround time:       669\n"
            " Average hog factor of a job:  0.01 ( cpu time / turnaround time )\n"
            " Maximum hog factor of a job:  0.01      Minimum hog factor of a job:  0.01\n"
            " Average expansion factor of a job:  1.00 ( turnaround time / run time )\n"
            " Maximum expansion factor of a job:  1.00\n"
            " Minimum expansion factor of a job:  1.00\n"
            " Total Run time consumed:       668      Average Run time consumed:     668\n"
            " Maximum Run time of a job:     668      Minimum Run time of a job:     668\n");
}

TEST(Accounts, AreRecordsWithJson) {
  auto finish = finished_job();
  finish.mutable_asked()->set_application("solver");
  const std::string record = account_record(finish, shown_at(kMay10));
  for (const char* line :
       {"\"JOBID\":\"24520\"", "\"USER\":\"annas\"", "\"APPLICATION\":\"solver\"", "\"STATUS\":\"done\"",
        "\"CPU_T\":\"3.37\"", "\"WAIT\":\"1\"", "\"TURNAROUND\":\"669\"", "\"RUN_TIME\":\"668\"",
        "\"HOG_FACTOR\":\"0.0050\"", "\"MEM\":\"12\"", "\"EXEC_HOST\":\"kilenc\""})
    EXPECT_NE(record.find(line), std::string::npos) << line << "\n" << record;
  AccountSummary summary;
  summary.add(finish);
  for (const char* line : {"\"DONE_JOBS\":\"1\"", "\"EXITED_JOBS\":\"0\"", "\"TOTAL_CPU_TIME\":\"3.4\"",
                           "\"MAXIMUM_TURNAROUND\":\"669\"", "\"AVERAGE_EXPANSION_FACTOR\":\"1.00\""})
    EXPECT_NE(summary.record().find(line), std::string::npos) << line << "\n" << summary.record();
}

TEST(Accounts, BlockIsThatOfARealSession) {
  auto finish = finished_job();
  EXPECT_EQ(account_block(finish, Wrapping::at_80, shown_at(kMay10)),
            "Job <24520>, User <annas>, Project <default>, Status <DONE>, Queue <normal>, Co\n"
            "                     mmand <./testjob.sh>\n"
            "Tue May 10 21:09:22: Submitted from host <kilenc>, CWD <$HOME>, Output File </h\n"
            "                     ome/annas/output.%J>, Error File </home/annas/error.%J>;\n"
            "Tue May 10 21:09:23: Dispatched 1 Task(s) on Host(s) <kilenc>, Allocated 1 Slot\n"
            "                     (s) on Host(s) <kilenc>, Effective RES_REQ <select[type ==\n"
            "                      local] order[r15s:pg] >;\n"
            "Tue May 10 21:20:31: Completed <done>.\n"
            "\n"
            "Accounting information about this job:\n"
            "     CPU_T     WAIT     TURNAROUND   STATUS     HOG_FACTOR    MEM    SWAP\n"
            "      3.37        1            669     done         0.0050    12M      0M\n"
            "------------------------------------------------------------------------------\n"
            "\n");
}

TEST(Accounts, BlockOfAForwardedJobSaysWhereItRan) {
  auto finish = finished_job();
  auto& forwarded = *finish.mutable_record()->mutable_forwarded();
  forwarded.set_cluster("east");
  forwarded.set_queue("guests");
  forwarded.set_at_us(finish.record().submit_us());
  forwarded.mutable_there()->mutable_key()->set_id(7);
  forwarded.mutable_there()->set_queue("guests");
  const std::string block = account_block(finish, Wrapping::none, shown_at(kMay10));
  EXPECT_NE(
      block.find(
          "\nTue May 10 21:09:22: Job <24520> forwarded to cluster <east>, queue <guests>, as job <7>;\n"),
      std::string::npos)
      << block;
}

// bacct(1) reads lsb.acct, whose record of a job has its end; its suspensions are in lsb.events, which bhist(1) reads.
TEST(Accounts, BlockOfAPreemptedJobIsThatOfAJobThatWasNot) {
  auto finish = finished_job();
  const std::string block = account_block(finish, Wrapping::at_80, shown_at(kMay10));
  finish.mutable_record()->set_preemptions(2);
  finish.mutable_record()->set_preempted_for_us(90'000'000);
  finish.mutable_record()->set_ssusp_s(90);
  EXPECT_EQ(account_block(finish, Wrapping::at_80, shown_at(kMay10)), block);
  finish.mutable_record()->set_status(wire::STATUS_EXIT);
  finish.mutable_record()->set_term_reason(1);
  EXPECT_NE(account_block(finish, Wrapping::none, shown_at(kMay10)).find("Completed <exit>; TERM_PREEMPT"),
            std::string::npos)
      << "one that was killed by it has the reason";
}

}  // namespace
}  // namespace rollcall::sched::show
