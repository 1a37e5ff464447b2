// Plans, names, environments and usage of jobs (res/policy).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "res/policy/job_commands.hpp"
#include "res/policy/job_environment.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/job_usage.hpp"
#include "res/policy/process_plan.hpp"
#include "res/policy/res_rights.hpp"

namespace rollcall::res {
namespace {

using testing::Contains;
using testing::ElementsAre;

wire::JobKey key(int id, int index) {
  wire::JobKey key;
  key.set_id(id);
  key.set_index(index);
  return key;
}

TEST(ResCommands, EexecIsTheLastBeforeTheJobAndFailsNone) {
  wire::JobOrder order;
  EXPECT_EQ(eexec_command(order, "/u/data"), "");
  order.set_eexec("/site's/eexec");
  EXPECT_EQ(eexec_command(order, "/u/data"), "'/site'\\''s/eexec' </u/data || :");
}

TEST(ResNames, AreExpanded) {
  EXPECT_EQ(expand_name("out.%J", key(12, 0)), "out.12");
  EXPECT_EQ(expand_name("out.%J.%I", key(12, 3)), "out.12.3");
  EXPECT_EQ(expand_name("%I", key(12, 0)), "0");
  EXPECT_EQ(expand_name("x.%%J", key(12, 0)), "x.%12");
  EXPECT_EQ(expand_name("100%", key(12, 0)), "100%");
  EXPECT_EQ(expand_name("%j%%", key(12, 0)), "%j%%");
  EXPECT_EQ(job_text(key(12, 0)), "12");
  EXPECT_EQ(job_text(key(12, 3)), "12[3]");
  EXPECT_EQ(under("/a", "b"), "/a/b");
  EXPECT_EQ(under("/a/", "b"), "/a/b");
  EXPECT_EQ(under("/a", "/b"), "/b");
  EXPECT_EQ(file_in_directory("out/", key(12, 0), ".out"), "out/12.out");
  EXPECT_EQ(file_in_directory("/d", key(12, 3), ".err"), "/d/12.3.err");
  wire::Submission asked;
  asked.set_cwd("/home/me");
  EXPECT_EQ(wanted_directory(asked, key(12, 0)), "/home/me");
  asked.set_asked_cwd("run.%J");
  EXPECT_EQ(wanted_directory(asked, key(12, 0)), "/home/me/run.12");
  const auto made = [&asked](const char* directory) {
    asked.set_asked_cwd(directory);
    return directories_to_make(asked, key(12, 3));
  };
  EXPECT_THAT(made("/a/b"), testing::IsEmpty()) << "only those with numbers are made";
  EXPECT_THAT(made(""), testing::IsEmpty());
  EXPECT_THAT(made("run.%J"), testing::ElementsAre("/home/me/run.12"));
  EXPECT_THAT(made("/a/x%J/%I/b/"), testing::ElementsAre("/a/x12", "/a/x12/3", "/a/x12/3/b"));
  asked.set_numbered_cwd(6);
  EXPECT_THAT(made("/a/x77/b"), testing::ElementsAre("/a/x77", "/a/x77/b")) << "numbers of another cluster";
}

wire::ToRes::StartJob script(const std::string& text) {
  wire::ToRes::StartJob start;
  start.mutable_submission()->set_command("line");
  start.mutable_submission()->set_script(text);
  return start;
}

TEST(ResPlan, ACommandIsALineOfTheShell) {
  wire::ToRes::StartJob start;
  start.mutable_submission()->set_command("echo \"a b\"");
  const auto plan = job_process(start, "/file");
  EXPECT_THAT(plan.argv, ElementsAre("/bin/sh", "-c", "$LSB_TRAPSIGS\necho \"a b\""));
  EXPECT_FALSE(plan.script);
  start.set_job_starter("csh -c \"%USRCMD;sleep 10\"");
  EXPECT_EQ(job_process(start, "/file").argv[2], "$LSB_TRAPSIGS\ncsh -c \"echo \"a b\";sleep 10\"");
  start.set_job_starter("/site/starter");
  EXPECT_EQ(job_process(start, "/file").argv[2], "$LSB_TRAPSIGS\n/site/starter echo \"a b\"");
}

TEST(ResPlan, AScriptKeepsItsLines) {
  EXPECT_THAT(job_process(script("#!/bin/bash\nline 2\n"), "/file").argv, ElementsAre("/bin/bash", "/file"));
  EXPECT_EQ(job_process(script("#!/bin/bash\nline 2\n"), "/file").script, "$LSB_TRAPSIGS\nline 2\n");
  EXPECT_THAT(job_process(script("#BSUB -n 2\nline 2\n"), "/file").argv, ElementsAre("/bin/sh", "/file"));
  EXPECT_EQ(job_process(script("\n#!/bin/bash\nline 3\n"), "/file").script,
            "$LSB_TRAPSIGS\n#!/bin/bash\nline 3\n");
  EXPECT_EQ(job_process(script("echo 1\necho 2\n"), "/file").script, "$LSB_TRAPSIGS; echo 1\necho 2\n");
}

TEST(ResPlan, AnotherInterpreterHasAShellAboveIt) {
  const auto plan = job_process(script("#! /usr/bin/env python3 \nprint(1)\n"), "/file");
  EXPECT_THAT(plan.argv, ElementsAre("/bin/sh", "-c", "$LSB_TRAPSIGS\n\"$@\"", "sh", "/usr/bin/env",
                                     "python3", "/file"));
  EXPECT_EQ(plan.script, "#! /usr/bin/env python3 \nprint(1)\n");
}

TEST(ResEnvironment, LaterVariablesWin) {
  wire::JobOrder order;
  auto& asked = *order.mutable_start()->mutable_submission();
  for (const char* word : {"A=1", "HOME=/wrong", "B=2", "=x", "none"}) asked.add_environment(word);
  order.mutable_start()->add_environment("B=3");
  order.mutable_start()->set_gpus("1");
  order.set_home("/home/me");
  JobPlaces places;
  places.directory = "/work";
  const auto words = job_environment(order, places);
  EXPECT_EQ(words[0], "A=1");
  EXPECT_EQ(words[1], "HOME=/home/me");
  EXPECT_EQ(words[2], "B=3");
  for (const char* word : {"PWD=/work", "LSB_TRAPSIGS=trap # 15 10 12 2 1", "LSB_EXIT_PRE_ABORT=99",
                           "CUDA_VISIBLE_DEVICES=1", "LSB_JOBEXIT_STAT=0"})
    EXPECT_THAT(words, Contains(word));
  EXPECT_THAT(words, testing::Not(Contains(testing::HasSubstr("TMPDIR"))));
}

TEST(ResEnvironment, OfTasksAndHooks) {
  wire::JobOrder order;
  order.mutable_expect()->set_gpus("0,1");
  wire::RunTask task;
  task.add_environment("A=1");
  task.set_task(4);
  const auto words = task_environment(order, task, {});
  EXPECT_THAT(words, ElementsAre("A=1", "CUDA_VISIBLE_DEVICES=0,1", "LSF_PM_TASKID=4", "LSB_TASKID=4",
                                 "LSB_TASKINDEX=4"));
  auto hook = hook_environment({"PATH=/evil", "A=1"});
  EXPECT_THAT(hook, ElementsAre("PATH=/bin:/usr/bin:/sbin:/usr/sbin", "A=1"));
  EXPECT_THAT(control_environment({"PATH=/evil", "LSF_BINDIR=/lsf/bin"}),
              ElementsAre("PATH=/bin:/usr/bin:/sbin:/usr/sbin:/lsf/bin", "LSF_BINDIR=/lsf/bin"));
  add_exit_status(hook, 143 << 8);
  EXPECT_THAT(hook, Contains("LSB_JOBEXIT_STAT=36608"));
  EXPECT_THAT(hook, Contains("LSB_JOBEXIT_INFO=SIGNAL 15 TERM"));
}

TEST(ResEnvironment, TasksOfAJobKeepTheHomeOfTheirCaller) {
  wire::JobOrder order;
  order.set_home("/home/me");
  wire::RunTask task;
  EXPECT_THAT(task_environment(order, task, {}), ElementsAre("HOME=/home/me"));
  task.add_environment("HOME=/scratch/private");
  EXPECT_THAT(task_environment(order, task, {}), ElementsAre("HOME=/scratch/private"));
  order.set_task_only(true);  // lsrun
  EXPECT_THAT(task_environment(order, task, {}), ElementsAre("HOME=/home/me"));
}

TEST(ResEnvironment, TasksHaveTheTmpdirOfTheirHost) {
  wire::JobOrder order;
  wire::RunTask task;
  JobPlaces places;
  places.tmp_dir = "/local/12.tmpdir";
  EXPECT_THAT(task_environment(order, task, places), ElementsAre("TMPDIR=/local/12.tmpdir"));
  task.add_environment("TMPDIR=/scratch/12.tmpdir");  // of the host that the task was started from
  EXPECT_THAT(task_environment(order, task, places), ElementsAre("TMPDIR=/local/12.tmpdir"));
  task.set_environment(0, "TMPDIR=/my/own");
  EXPECT_THAT(task_environment(order, task, places), ElementsAre("TMPDIR=/my/own"));
  EXPECT_THAT(task_environment(order, task, {}), ElementsAre("TMPDIR=/my/own"));
}

TEST(ResEnvironment, ALineForEachSlot) {
  wire::JobOrder order;
  auto& hosts = *order.mutable_start()->mutable_hosts();
  hosts.Add()->set_name("a");
  hosts[0].set_slots(2);
  hosts.Add()->set_name("b");
  hosts[1].set_slots(1);
  EXPECT_EQ(host_lines(hosts), "a\na\nb\n");
  EXPECT_EQ(slot_lines(hosts), "a slots=2\nb slots=1\n");
}

TEST(ResUsage, SumsAndKeepsWhatHasEnded) {
  UsageMeter meter;
  meter.sample({{10, 10, 1.0, 0.5, 1000, 5000, 2}, {11, 10, 2.0, 0.5, 3000, 6000, 1}}, 0, 0, 1);
  EXPECT_EQ(meter.usage().memory_kb(), 4000);
  EXPECT_EQ(meter.usage().swap_kb(), 11000);
  EXPECT_EQ(meter.usage().threads(), 3);
  EXPECT_THAT(meter.usage().pids(), ElementsAre(10, 11));
  EXPECT_THAT(meter.usage().pgids(), ElementsAre(10));
  EXPECT_THAT(meter.usage().pid_pgids(), ElementsAre(10, 10));
  EXPECT_DOUBLE_EQ(meter.cpu_s(), 4.0);
  meter.sample({{10, 10, 1.5, 0.5, 2000, 5000, 2}}, 2.0, 0.5, 2);  // the other was waited for
  EXPECT_DOUBLE_EQ(meter.cpu_s(), 4.5);
  EXPECT_EQ(meter.usage().max_memory_kb(), 4000);
  EXPECT_EQ(meter.usage().average_memory_kb(), 3000);
  EXPECT_EQ(meter.usage().max_processes(), 2);
  meter.sample({}, 0, 0, 3);  // a reading that missed everything
  EXPECT_DOUBLE_EQ(meter.cpu_s(), 4.5);
  meter.finish(4.0, 1.0, 9000, 4);
  EXPECT_DOUBLE_EQ(meter.cpu_s(), 5.0);
  EXPECT_EQ(meter.usage().max_memory_kb(), 9000);
  EXPECT_EQ(meter.usage().pids_size(), 0);
  EXPECT_EQ(meter.usage().pid_pgids_size(), 0);
}

TEST(ResUsage, IsToldLessOftenOfJobsWithManySlots) {
  using namespace std::chrono_literals;
  EXPECT_EQ(telling_interval(0, 0, 1000), Duration(15s));
  EXPECT_EQ(telling_interval(5000, 0, 1000), Duration(5s));
  EXPECT_EQ(telling_interval(5000, 0.01, 1000), Duration(15s));
  EXPECT_EQ(telling_interval(5000, 0.01, 1), Duration(5s)) << "no parallel job";
  EXPECT_EQ(telling_interval(5000, -1, 10), Duration(5s));
  EXPECT_EQ(telling_interval(5000, 1e300, 10), Duration(5s + 1h));
}

TEST(ResEnvironment, TheRelayIsThisJobsOrNone) {
  wire::JobOrder order;
  order.mutable_start()->mutable_submission()->add_environment(
      "ROLLCALL_RELAY=of the job that submitted this one");
  wire::RunTask task;
  task.add_environment("ROLLCALL_RELAY=of another host");
  JobPlaces places;
  EXPECT_THAT(job_environment(order, places), testing::Not(Contains(testing::HasSubstr("ROLLCALL_RELAY"))));
  EXPECT_THAT(task_environment(order, task, places), testing::IsEmpty());
  places.relay = "ours";
  EXPECT_THAT(job_environment(order, places), Contains("ROLLCALL_RELAY=ours"));
  EXPECT_THAT(task_environment(order, task, places), ElementsAre("ROLLCALL_RELAY=ours"));
}

TEST(ResRights, OfAdministrators) {
  const std::vector<std::string> administrators{"lsfadmin"};
  EXPECT_FALSE(is_administrator({}, 500, administrators));
  EXPECT_FALSE(is_administrator({true, 501, "me"}, 500, administrators));
  EXPECT_FALSE(is_administrator({true, 501, ""}, 500, {""}));
  EXPECT_TRUE(is_administrator({true, 0, "root"}, 500, administrators));
  EXPECT_TRUE(is_administrator({true, 500, "me"}, 500, administrators));
  EXPECT_TRUE(is_administrator({true, 502, "lsfadmin"}, 500, administrators));
}

}  // namespace
}  // namespace rollcall::res
