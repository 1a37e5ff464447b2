// The report of a job's end, byte for byte: what dvsim and Snakemake's profiles read line by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "res/policy/job_report.hpp"

namespace rollcall::res {
namespace {

using How = wire::FromRes::JobOver;
using testing::HasSubstr;

// With ROLLCALL_UPDATE_GOLDEN in the environment the files are written anew; read the difference before it is committed.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ROLLCALL_GOLDEN).append("/").append(name);
  if (std::getenv("ROLLCALL_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::ostringstream all;
  all << in.rdbuf();
  EXPECT_EQ(text, all.str()) << path;
}

// Seconds since the start of a day, as the tests' calendar.
std::string date(std::int64_t us) {
  const auto s = us / 1'000'000;
  char text[32];
  std::snprintf(text, sizeof text, "Thu Jun 11 %02d:%02d:%02d 2020", static_cast<int>(s / 3600),
                static_cast<int>(s / 60 % 60), static_cast<int>(s % 60));
  return text;
}

class ResReport : public testing::Test {
 protected:
  ResReport() {
    auto& start = *order_.mutable_start();
    start.mutable_job()->mutable_key()->set_id(7115277);
    start.set_cluster("c1");
    start.set_queue("hpc");
    start.set_submit_us(at(8, 23, 40));
    start.set_requested_memory_kb(10 << 20);
    start.add_hosts()->set_name("hostB");
    start.mutable_hosts(0)->set_slots(1);
    auto& asked = *start.mutable_submission();
    asked.set_job_name("jobname");
    asked.set_command("#!/bin/sh;#BSUB -q hpc;date");
    asked.set_script("#!/bin/sh\n#BSUB -q hpc\ndate\n");
    asked.set_from_host("hostA");
    asked.set_user("userA");
    order_.set_user("userA");
    order_.set_home("/home/userA");
    order_.set_sender("lsfadmin@hostB");
    order_.set_host("hostB");
    over_.set_start_us(at(12, 0, 36));
    over_.set_end_us(at(15, 42, 47));
    auto& usage = *over_.mutable_usage();
    usage.set_user_s(13000);
    usage.set_system_s(329.23);
    usage.set_max_memory_kb(4759 << 10);
    usage.set_average_memory_kb(2476196);
    usage.set_max_processes(4);
    usage.set_max_threads(6);
  }
  static std::int64_t at(int h, int m, int s) { return (h * 3600 + m * 60 + s) * std::int64_t{1'000'000}; }
  ReportFacts facts(std::string errors = "") const {
    return {order_, over_, "/home/userA/work", sampled_, std::move(errors), over_.end_us(), date};
  }
  wire::JobOrder order_;
  wire::FromRes::JobOver over_;
  bool sampled_ = true;
};

TEST_F(ResReport, DoneMatchesTheGoldenFile) {
  expect_golden("done", report_text(facts(), ReportPlace::output_file));
}

TEST_F(ResReport, ExitedForItsLimitOverSeveralHostsInAnArray) {
  order_.mutable_start()->mutable_job()->mutable_key()->set_index(3);
  order_.mutable_start()->clear_hosts();
  for (const char* name : {"hostA", "hostB"}) {
    auto& host = *order_.mutable_start()->add_hosts();
    host.set_name(name);
    host.set_slots(4);
  }
  over_.set_exit_status(137 << 8);
  over_.set_term_reason(16);
  expect_golden("exited", report_text(facts("err.7115277"), ReportPlace::output_file));
}

// LSF's sentences name both clusters; the id is the one that the user has.
TEST_F(ResReport, OfAForwardedJobNamesBothClustersAndTheSubmissionsId) {
  auto& start = *order_.mutable_start();
  start.set_from_cluster("west");
  for (const char* word : {"LSB_JOBID=12", "LSB_JOBINDEX=3"}) start.add_environment(word);
  EXPECT_EQ(subject_of(facts()), "Job 12[3]: <jobname[3]> in cluster <west> Done");
  const auto text = report_text(facts(), ReportPlace::mail);
  EXPECT_THAT(
      text,
      HasSubstr("Job <jobname[3]> was submitted from host <hostA> by user <userA> in cluster <west> at "));
  EXPECT_THAT(
      text,
      HasSubstr("Job was executed on host(s) <hostB>, in queue <hpc>, as user <userA> in cluster <c1> at "));
  start.add_environment("LSB_SUB_USER=userA_there");  // by UserMap
  EXPECT_THAT(report_text(facts(), ReportPlace::mail),
              HasSubstr("was submitted from host <hostA> by user <userA_there> in cluster <west> at "));
}

TEST_F(ResReport, NothingSampledNothingAskedByMail) {
  auto& asked = *order_.mutable_start()->mutable_submission();
  asked.clear_job_name();
  asked.clear_script();
  asked.set_command("exit 1");
  order_.mutable_start()->clear_requested_memory_kb();
  over_.clear_usage();
  over_.mutable_usage()->set_user_s(0.01);
  over_.set_exit_status(1 << 8);
  sampled_ = false;
  EXPECT_EQ(subject_of(facts()), "Job 7115277: <exit 1> in cluster <c1> Exited");
  expect_golden("mail", report_text(facts(), ReportPlace::mail));
}

TEST_F(ResReport, TheLineThatReadersLookForIsTwoAboveTheSummary) {
  over_.set_exit_status(3 << 8);
  EXPECT_THAT(report_text(facts(), ReportPlace::output_file),
              HasSubstr("\nExited with exit code 3.\n\nResource usage summary:\n"));
}

TEST_F(ResReport, JobThatDidNotStartSaysWhy) {
  over_.set_how(How::NOT_STARTED);
  over_.set_exit_status(127 << 8);
  over_.set_why("cannot open /x: Permission denied");
  const auto text = report_text(facts(), ReportPlace::mail);
  EXPECT_THAT(text, HasSubstr("\ncannot open /x: Permission denied.\n"));
}

TEST_F(ResReport, WhatIsNotWhereItShouldBeIsSaidAtTheEnd) {
  order_.mutable_start()->mutable_submission()->set_output_file("/gone/out");
  const std::string trouble =
      "cannot open /gone/out: No such file or directory; the output is in /tmp/7115277.out on hostB.\n";
  const ReportFacts facts{order_,         over_, "/home/userA",      true,   "/home/userA/err",
                          at(15, 42, 47), date,  "/tmp/7115277.out", trouble};
  for (const auto place : {ReportPlace::output_file, ReportPlace::mail, ReportPlace::mail_alone})
    EXPECT_THAT(report_text(facts, place),
                testing::EndsWith("PS:\n\nRead file </home/userA/err> for stderr output of this job.\n\n" +
                                  trouble + "\n"));
  EXPECT_THAT(report_text(facts, ReportPlace::mail_alone),
              HasSubstr("Read file </tmp/7115277.out> for stdout output"));
  // Readers look for the line two above the summary.
  EXPECT_THAT(report_text(facts, ReportPlace::output_file),
              HasSubstr("Successfully completed.\n\nResource usage summary:"));
}

}  // namespace
}  // namespace rollcall::res
