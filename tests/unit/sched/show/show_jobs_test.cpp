// bjobs: rows, blocks and fields, byte for byte as in sessions with LSF 10.1, with our own names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "sched/policy/show/show_job_fields.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "tests/unit/sched/show/show_fixtures.hpp"

namespace rollcall::sched::show {
namespace {

std::string row(const Shown& shown, JobForm form) {
  return jobs_header(form) + job_row(shown.view, shown.asked, form, shown_at(kMay10 + 60));
}

TEST(JobTable, IsThatOfARealSession) {
  EXPECT_EQ(row(running_job(), JobForm::narrow),
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n"
            "24520   annas   RUN   normal     kilenc      kilenc      *estjob.sh May 10 21:09\n");
}

TEST(JobTable, NarrowFormCutsAndShowsEveryHost) {
  Shown shown = running_job();
  shown.asked.set_user("longusername");
  shown.asked.set_from_host("frontend-head2");
  shown.job().set_queue("overnight_x");
  shown.job().clear_hosts();
  add_exec_host(shown.job(), "blade-27-1-15", 12);
  add_exec_host(shown.job(), "blade02", 2);
  shown.asked.set_job_name("align");
  shown.job().mutable_key()->set_index(10);
  EXPECT_EQ(job_row(shown.view, shown.asked, JobForm::narrow, shown_at(kMay10)),
            "24520   longuse RUN   overnight_ frontend-he 12*blade-27 align[10]  May 10 21:09\n"
            "                                             2*blade02  \n");
}

TEST(JobTable, WideFormCutsNothing) {
  Shown shown = running_job();
  shown.asked.set_job_name("track_all_genomes_of_the_lake-340");
  shown.job().mutable_key()->set_index(9);
  add_exec_host(shown.job(), "kile02", 4);
  EXPECT_EQ(row(shown, JobForm::wide),
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n"
            "24520   annas   RUN   normal     kilenc      kilenc:4*kile02 "
            "track_all_genomes_of_the_lake-340[9] May 10 21:09\n");
}

TEST(JobTable, AJobThatPendsHasNoHostInAnyForm) {
  Shown shown = running_job();
  shown.job().set_status(wire::STATUS_PEND);
  EXPECT_EQ(job_row(shown.view, shown.asked, JobForm::narrow, shown_at(kMay10)),
            "24520   annas   PEND  normal     kilenc                  *estjob.sh May 10 21:09\n");
  EXPECT_EQ(job_row(shown.view, shown.asked, JobForm::wide, shown_at(kMay10)),
            "24520   annas   PEND  normal     kilenc         -        ./testjob.sh May 10 21:09\n");
}

TEST(JobTable, FullFormHasUsageAndTimes) {
  Shown shown = running_job();
  shown.asked.set_from_host("foobar02.example.org");
  shown.asked.set_job_name("foo");
  auto& usage = *shown.job().mutable_usage();
  usage.set_memory_kb(2048);
  usage.set_swap_kb(32 * 1024);
  usage.clear_pids();
  usage.add_pids(25156);
  EXPECT_EQ(
      row(shown, JobForm::full),
      "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME  PROJ_NAME CPU_USED "
      "MEM SWAP PIDS START_TIME FINISH_TIME SLOTS\n"
      "24520   annas   RUN   normal     foobar02.example.org kilenc      foo        05/10-21:09:22 default   "
      " "
      "000:00:00.00 2      32     25156 05/10-21:09:23 -  1\n");
  usage.set_user_s(165 * 3600 + 53 * 60 + 45);
  shown.job().set_status(wire::STATUS_DONE);
  shown.job().set_end_us((kMay10 + 31) * 1'000'000);
  EXPECT_NE(
      row(shown, JobForm::full).find(" 165:53:45.00 2      32     25156 05/10-21:09:23 05/10-21:09:53  1\n"),
      std::string::npos);
}

TEST(JobTable, ForwardedFormHasTheClusterAndTheTime) {
  Shown shown = running_job();
  shown.job().set_queue("overnight_x");
  shown.job().mutable_hosts(0)->set_name("n2@east_of_here");
  auto& forwarded = *shown.job().mutable_forwarded();
  forwarded.set_cluster("east_of_here");
  forwarded.set_at_us((kMay10 + 120) * 1'000'000);
  EXPECT_EQ(row(shown, JobForm::forwarded),
            "JOBID   USER    STAT  QUEUE      EXEC_HOST   JOB_NAME   CLUSTER    FORWARD_TIME\n"
            "24520   annas   RUN   overnight_ n2@east_of_ *estjob.sh east_of_he May 10 21:11\n");
  EXPECT_EQ(job_row(shown.view, shown.asked, JobForm::forwarded_wide, shown_at(kMay10)),
            "24520   annas   RUN   overnight_x n2@east_of_here ./testjob.sh east_of_here May 10 21:11\n");
  shown.job().set_status(wire::STATUS_PEND);
  EXPECT_EQ(job_row(shown.view, shown.asked, JobForm::forwarded, shown_at(kMay10)),
            "24520   annas   PEND  overnight_             *estjob.sh east_of_he May 10 21:11\n");
}

TEST(JobTable, ArraysHaveARowEach) {
  Shown shown = running_job();
  auto& range = *shown.asked.add_indices();
  range.set_first(1);
  range.set_last(24);
  range.set_step(1);
  shown.asked.set_job_name("myarray");
  shown.view.set_array_size(24);
  (*shown.view.mutable_counts())[wire::STATUS_PEND] = 18;
  (*shown.view.mutable_counts())[wire::STATUS_RUN] = 6;
  EXPECT_EQ(row(shown, JobForm::arrays),
            "JOBID   ARRAY_SPEC   OWNER    NJOBS  PEND DONE  RUN EXIT SSUSP USUSP PSUSP\n"
            "24520   *array[1-24] annas       24    18    0    6    0     0     0     0\n");
}

// Hosts of two clusters that have closed them.
TEST(Reasons, OfOneTextAreOneLine) {
  JobView view;
  for (const char* cluster : {"east", "west"}) {
    auto& reason = *view.add_reasons();
    reason.set_text("Closed by LSF administrator");
    reason.set_why(std::string("closed by an administrator of cluster ") + cluster);
    reason.add_hosts(std::string("n1@") + cluster);
  }
  EXPECT_EQ(reason_lines(view, ReasonForm::counted), " Closed by LSF administrator: 2 hosts;\n");
  EXPECT_EQ(reason_lines(view, ReasonForm::named), " Closed by LSF administrator: n1@east, n1@west;\n");
  EXPECT_EQ(reason_lines(view, ReasonForm::words),
            " 1 host: closed by an administrator of cluster east\n"
            " 1 host: closed by an administrator of cluster west\n");
}

TEST(Reasons, AreLsfsTextsOrWords) {
  JobView view;
  auto& hosts = *view.add_reasons();
  hosts.set_text("Job's resource requirements not satisfied");
  hosts.set_why("mem is 380 MB, job asks for 500");
  hosts.set_count(4);
  for (const char* name : {"hosta", "hostb", "hostc", "hostd"}) hosts.add_hosts(name);
  auto& one = *view.add_reasons();
  one.set_text("Not enough job slots");
  one.add_hosts("hoste");
  view.add_reasons()->set_text("New job is waiting for scheduling");
  EXPECT_EQ(reason_lines(view, ReasonForm::counted),
            " Job's resource requirements not satisfied: 4 hosts;\n"
            " Not enough job slots: 1 host;\n"
            " New job is waiting for scheduling;\n");
  EXPECT_EQ(reason_lines(view, ReasonForm::named),
            " Job's resource requirements not satisfied: hosta, hostb, hostc, hostd;\n"
            " Not enough job slots: hoste;\n"
            " New job is waiting for scheduling;\n");
  EXPECT_EQ(reason_lines(view, ReasonForm::words),
            " 4 hosts: mem is 380 MB, job asks for 500\n"
            " Not enough job slots: 1 host;\n"
            " New job is waiting for scheduling;\n");
}

std::string block(const Shown& shown, Wrapping wrapping = Wrapping::at_80) {
  return job_block(shown.view, shown.asked, wrapping, ReasonForm::named, shown_at(kMay10 + 60));
}

constexpr const char* kScheduling =
    "\n SCHEDULING PARAMETERS:\n"
    "           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem\n"
    " loadSched   -     -     -     -       -     -    -     -     -      -      -  \n"
    " loadStop    -     -     -     -       -     -    -     -     -      -      -  \n";
constexpr const char* kRequirements =
    "\n RESOURCE REQUIREMENT DETAILS:\n"
    " Combined: select[type == local] order[r15s:pg]\n"
    " Effective: select[type == local] order[r15s:pg]\n";

TEST(JobBlock, IsThatOfARealSession) {
  EXPECT_EQ(block(running_job()),
            "\n"
            "Job <24520>, User <annas>, Project <default>, Status <RUN>, Queue <normal>, Com\n"
            "                     mand <./testjob.sh>\n"
            "Tue May 10 21:09:22: Submitted from host <kilenc>, CWD <$HOME>, Output File </h\n"
            "                     ome/annas/output.24520>, Error File </home/annas/error.245\n"
            "                     20>;\n"
            "Tue May 10 21:09:23: Started 1 Task(s) on Host(s) <kilenc>, Allocated 1 Slot(s)\n"
            "                      on Host(s) <kilenc>, Execution Home </home/annas>, Execut\n"
            "                     ion CWD </home/annas>;\n"
            "Tue May 10 21:10:01: Resource usage collected.\n"
            "                     MEM: 12 Mbytes;  SWAP: 0 Mbytes;  NTHREAD: 5\n"
            "                     PGID: 313588;  PIDs: 313588 313589 313591 313592 \n"
            "\n"
            "\n"
            " MEMORY USAGE:\n"
            " MAX MEM: 12 Mbytes;  AVG MEM: 10 Mbytes\n" +
                std::string(kScheduling) + kRequirements);
}

TEST(JobBlock, EachHostHasItsProcessGroups) {
  Shown shown = running_job();
  auto& usage = *shown.job().mutable_usage();
  usage.clear_pids();
  usage.clear_pgids();
  for (const auto& [pid, pgid] : {std::pair(70, 70), {71, 70}, {72, 72}, {73, 70}, {70, 69}}) {
    usage.add_pids(pid);
    usage.add_pid_pgids(pgid);
  }
  for (const auto& [name, pids] : {std::pair("kilenc", 4U), {"archer", 1U}}) {
    auto& host = *usage.add_hosts();
    host.set_host(name);
    host.set_memory_kb(6 * 1024);
    host.set_user_s(2.4);
    host.set_pids(pids);
  }
  EXPECT_THAT(block(shown),
              testing::HasSubstr(
                  "                     MEM: 12 Mbytes;  SWAP: 0 Mbytes;  NTHREAD: 5\n"
                  "                     HOST: kilenc; MEM: 6 Mbytes; SWAP: 0 Mbytes; CPU_TIME: 2 seconds\n"
                  "                     PGID: 70;  PIDs: 70 71 73 \n"
                  "                     PGID: 72;  PIDs: 72 \n"
                  "                     HOST: archer; MEM: 6 Mbytes; SWAP: 0 Mbytes; CPU_TIME: 2 seconds\n"
                  "                     PGID: 69;  PIDs: 70 \n"
                  "\n"));
}

TEST(JobBlock, OfAParallelJobWithRequirements) {
  Shown shown = running_job();
  shown.asked.set_command("mpirun ./xhpl");
  shown.asked.set_cwd("/home/annas/hpl-2.3/testing");
  shown.asked.set_output_file("/home/annas/%J.out");
  shown.asked.clear_error_file();
  shown.asked.set_min_slots(16);
  shown.asked.set_max_slots(16);
  shown.asked.set_resreq("affinity[core(1,same=numa):cpubind=numa:membind=localonly]");
  shown.job().mutable_hosts(0)->set_slots(16);
  shown.job().set_exec_cwd("/home/annas/hpl-2.3/testing");
  shown.job().clear_usage();
  EXPECT_EQ(block(shown).substr(0, block(shown).find("\n SCHEDULING")),
            "\n"
            "Job <24520>, User <annas>, Project <default>, Status <RUN>, Queue <normal>, Com\n"
            "                     mand <mpirun ./xhpl>\n"
            "Tue May 10 21:09:22: Submitted from host <kilenc>, CWD <$HOME/hpl-2.3/testing>,\n"
            "                      Output File </home/annas/24520.out>, 16 Task(s), Requeste\n"
            "                     d Resources <affinity[core(1,same=numa):cpubind=numa:membi\n"
            "                     nd=localonly]>;\n"
            "Tue May 10 21:09:23: Started 16 Task(s) on Host(s) <16*kilenc>, Allocated 16 Sl\n"
            "                     ot(s) on Host(s) <16*kilenc>, Execution Home </home/annas>\n"
            "                     , Execution CWD </home/annas/hpl-2.3/testing>;\n");
}

TEST(JobBlock, OfAnEndedJobSaysHow) {
  Shown shown = running_job();
  shown.job().set_status(wire::STATUS_EXIT);
  shown.job().set_exit_status(130 << 8);
  shown.job().set_term_reason(16);
  shown.job().set_end_us((kMay10 + 100) * 1'000'000);
  shown.job().mutable_usage()->set_user_s(2.06);
  const std::string text = block(shown, Wrapping::none);
  EXPECT_NE(
      text.find("Tue May 10 21:11:02: Exited with exit code 130. The CPU time used is 2.1 seconds.\n"
                "Tue May 10 21:11:02: Completed <exit>; TERM_MEMLIMIT: job killed after reaching LSF memory "
                "usage limit.\n"
                "\n MEMORY USAGE:\n MAX MEM: 12 Mbytes;  AVG MEM: 10 Mbytes\n"),
      std::string::npos)
      << text;
  shown.job().set_start_failure("cannot open in: No such file or directory");
  EXPECT_THAT(block(shown, Wrapping::none),
              testing::HasSubstr("memory usage limit; cannot open in: No such file or directory.\n"));
  shown.job().set_term_reason(0);
  EXPECT_THAT(block(shown, Wrapping::none),
              testing::HasSubstr(": Completed <exit>; cannot open in: No such file or directory.\n"));
  shown.job().clear_start_failure();
  shown.job().set_status(wire::STATUS_DONE);
  EXPECT_NE(block(shown).find("Tue May 10 21:11:02: Done successfully. The CPU time used is 2.1 seconds.\n"),
            std::string::npos);
}

TEST(JobBlock, ShowsLimitsAndReasons) {
  Shown shown = running_job();
  shown.job().set_status(wire::STATUS_PEND);
  shown.view.mutable_effective_limits()->set_run_s(3600);
  shown.view.mutable_effective_limits()->set_memory_kb(2 * 1024 * 1024);
  auto& reason = *shown.view.add_reasons();
  reason.set_text("Not enough job slots");
  reason.add_hosts("hostF");
  auto& threshold = *shown.view.add_thresholds();
  threshold.set_index("r1m");
  threshold.set_schedule(0.7);
  threshold.set_stop(1.5);
  auto& paging = *shown.view.add_thresholds();
  paging.set_index("pg");
  paging.set_schedule(4);
  paging.set_stop(8);
  const std::string text = block(shown, Wrapping::none);
  EXPECT_NE(text.find("\n RUNLIMIT                 \n 60.0 min of kilenc       \n"
                      "\n MEMLIMIT     \n 2 G          \n"
                      " PENDING REASONS:\n Not enough job slots: hostF;\n"
                      "\n MEMORY USAGE:"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" loadSched   -    0.7    -     -      4.0    -    -     -     -      -      -  \n"
                      " loadStop    -    1.5    -     -      8.0    -    -     -     -      -      -  \n"),
            std::string::npos)
      << text;
}

std::string fields(const std::string& format, const Shown& shown, FieldUnits units = {}) {
  const auto parsed = JobFields::parse(format, units);
  if (!parsed) return parsed.error().text;
  return parsed->header() + parsed->line(shown.view, shown.asked, shown_at(kMay10 + 80));
}

TEST(JobFields, AreThoseOfARealSession) {
  EXPECT_EQ(
      fields("jobid stat: queue:- project:10  mem:12:G output_file error_file", running_job()),
      "JOBID STAT       QUEUE PROJ_NAME  MEM          OUTPUT_FILE ERROR_FILE\n"
      "24520 RUN       normal default    0.01 G       /home/annas/output.24520 /home/annas/error.24520\n");
}

TEST(JobFields, JsonIsThatOfARealSession) {
  const Shown shown = running_job();
  const auto parsed =
      JobFields::parse("jobid stat: queue:- project:10  mem:12:G output_file error_file exit_code", {})
          .value();
  EXPECT_EQ(json_document("bjobs", "JOBS", {parsed.json(shown.view, shown.asked, shown_at(kMay10))}),
            "{\n"
            "  \"COMMAND\":\"bjobs\",\n"
            "  \"JOBS\":1,\n"
            "  \"RECORDS\":[\n"
            "    {\n"
            "      \"JOBID\":\"24520\",\n"
            "      \"STAT\":\"RUN\",\n"
            "      \"QUEUE\":\"normal\",\n"
            "      \"PROJ_NAME\":\"default\",\n"
            "      \"MEM\":\"0.01 G\",\n"
            "      \"OUTPUT_FILE\":\"\\/home\\/annas\\/output.24520\",\n"
            "      \"ERROR_FILE\":\"\\/home\\/annas\\/error.24520\",\n"
            "      \"EXIT_CODE\":\"\"\n"
            "    }\n"
            "  ]\n"
            "}\n");
}

TEST(JsonRecords, AreUtf8WhateverANameIs) {
  const auto value = [](const std::string& name) {
    const std::string record = json_record({{"N", name}});
    const auto begin = record.find("\"N\":\"") + 5;
    return record.substr(begin, record.rfind('"') - begin);
  };
  EXPECT_EQ(value("se\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f"), "se\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(value("a\xff\"b\xc3"), "a" + mark + "\\\"b" + mark);
  EXPECT_EQ(value("\xc0\xaf"), mark + mark);                        // too long a form of "/"
  EXPECT_EQ(value("\xed\xa0\x80"), mark + mark + mark);             // a surrogate
  EXPECT_EQ(value("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond the last character
  EXPECT_EQ(value("\xe2\x82"), mark + mark);                        // cut short
  EXPECT_EQ(value("\x1b\x7f\xc2\x9b"), "\\u001b\\u007f" + mark) << "a terminal obeys none of them";
}

TEST(Paragraphs, AreCutBetweenCharacters) {
  const std::string start(78, 'a'), indent(21, ' ');
  EXPECT_EQ(paragraph(start + "\xc3\xa9"
                              "b",
                      Wrapping::at_80),
            start + "\n" + indent +
                "\xc3\xa9"
                "b\n");
  EXPECT_EQ(paragraph(start + "\xff\xffz", Wrapping::at_80), start + "\xff\n" + indent + "\xffz\n");
  EXPECT_EQ(paragraph(start + "bc", Wrapping::at_80), start + "b\n" + indent + "c\n");
}

TEST(JobFields, HaveTheFormsThatClientsRead) {
  Shown shown = running_job();
  shown.view.mutable_effective_limits()->set_run_s(360);
  shown.job().mutable_usage()->set_user_s(42.7);
  shown.job().mutable_usage()->set_memory_kb(7 * 1024);
  EXPECT_EQ(
      fields("run_time cpu_used mem time_left %complete finish_time pids idle_factor runtimelimit pend_time "
             "exit_reason delimiter='^'",
             shown),
      "RUN_TIME^CPU_USED^MEM^TIME_LEFT^%COMPLETE^FINISH_TIME^PIDS^IDLE_FACTOR^RUNTIMELIMIT^PEND_TIME^EXIT_"
      "REASON\n"
      "79 second(s)^42 second(s)^7 Mbytes^0:04 L^21.94% L^May 10 21:15 "
      "L^313588,313589,313591,313592^0.54^6.0^1^-\n");
  EXPECT_EQ(fields("run_time", shown, {true, ""}), "RUN_TIME\n00:01:19\n");
  EXPECT_EQ(fields("mem", shown, {false, "MB"}), "MEM\n7.00 MB\n");
}

TEST(JobFields, AreNamedInAnyCaseAndByAlias) {
  EXPECT_EQ(fields("JobID:3 NAME:6 ugroup", running_job()), "JOB JOB_NA USER_GROUP\n245 *ob.sh -\n");
  EXPECT_EQ(JobFields::parse("jobid colour", {}).error().text, "-o: <colour> is not a valid field name");
}

TEST(JobFields, AllOfThemCanBeAskedFor) {
  const std::string text = fields("all", running_job());
  EXPECT_EQ(text.substr(0, 30), "JOBID   JOBINDEX STAT  USER   ");
}

TEST(JobFields, FinishedJobHasItsEnd) {
  Shown shown = running_job();
  shown.job().set_status(wire::STATUS_EXIT);
  shown.job().set_exit_status(3 << 8);
  shown.job().set_term_reason(5);
  shown.job().set_end_us((kMay10 + 10) * 1'000'000);
  EXPECT_EQ(fields("stat exit_code exit_reason delimiter='|'", shown),
            "STAT|EXIT_CODE|EXIT_REASON\n"
            "EXIT|3|TERM_RUNLIMIT: job killed after reaching LSF run time limit\n");
  shown.job().set_end_us((kMay10 + 3600) * 1'000'000);
  const char* const titles = "FINISH_TIME|TIME_LEFT|%COMPLETE\n";
  for (const auto status : {wire::STATUS_EXIT, wire::STATUS_DONE}) {
    shown.job().set_status(status);
    shown.view.clear_effective_limits();
    EXPECT_EQ(fields("finish_time time_left %complete delimiter='|'", shown),
              titles + std::string("May 10 22:09|-|-\n"));
    shown.view.mutable_effective_limits()->set_run_s(36'000);
    EXPECT_EQ(fields("finish_time time_left %complete delimiter='|'", shown),
              titles + std::string("May 10 22:09|-|-\n"))
        << "its limit says nothing of its end";
  }
}

TEST(JobBlock, NamesTheFilesThatAreCopied) {
  Shown shown = running_job();
  using Transfer = wire::FileTransfer;
  for (const auto direction : {Transfer::TO_HOST, Transfer::APPEND_BACK}) {
    auto& file = *shown.asked.add_transfers();
    file.set_local("in");
    file.set_remote("/x/in");
    file.set_direction(direction);
  }
  EXPECT_THAT(asked_words(shown.view.record(), shown.asked, false),
              testing::HasSubstr(", Copy Files <in > /x/in> <in << /x/in>"));
}

TEST(SlotTotals, AreOfJobsThatAreNotOver) {
  SlotTotals totals;
  totals.add(wire::STATUS_RUN, 4);
  totals.add(wire::STATUS_RUN, 1);
  totals.add(wire::STATUS_PEND, 2);
  totals.add(wire::STATUS_PSUSP, 1);
  totals.add(wire::STATUS_USUSP, 8);
  totals.add(wire::STATUS_ZOMBI, 1);
  totals.add(wire::STATUS_DONE, 100);
  totals.add_forwarded(6);
  EXPECT_EQ(totals.table(),
            "RUN        SSUSP      USUSP      UNKNOWN    PEND       FWD_PEND   \n"
            "5          0          8          1          3          6          \n");
}

}  // namespace
}  // namespace rollcall::sched::show
