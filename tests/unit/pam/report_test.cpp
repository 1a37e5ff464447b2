// The closing table byte for byte, and the report that programs read.
#include "pam/policy/report.hpp"

#include <csignal>
#include <nlohmann/json.hpp>

#include "pam/policy/roll_messages.hpp"
#include "tests/unit/pam/roll_driver.hpp"
#include "tests/unit/pam/whole_texts.hpp"

namespace rollcall::pam {
namespace {

std::string fixed_time(std::int64_t) { return "08/31/2010 12:32:57"; }

RollDriver finished_job(int tasks) {
  RollRules rules;
  rules.expected = tasks;
  RollDriver d(rules);
  d.launch();
  return d;
}

// The sample of the CTSM user's guide (LSF 7.0 on AIX): two rows, columns as measured there.
TEST(Report, TheTableIsTheRecordedOne) {
  RollDriver d = finished_job(2);
  d.command = "/contrib/bin/ccsm_launch /contrib/bin/job_memusage.exe ./ccsm.exe";
  for (int i = 0; i < 2; ++i) d.task("be0310en");
  d.ends(0, ExitStatus::exited(134));
  d.ends(1, ExitStatus::exited(134));
  EXPECT_EQ(closing_table(d.roll, "/usr/local/lsf/7.0/aix5-64/bin/poejob /contrib/bin/ccsm_launch",
                          fixed_time, false),
            "Job  /usr/local/lsf/7.0/aix5-64/bin/poejob /contrib/bin/ccsm_launch\n"
            "\n"
            "TID   HOST_NAME   COMMAND_LINE            STATUS            TERMINATION_TIME\n"
            "===== ========== ================  =======================  ===================\n"
            "00000 be0310en   /contrib/bin/ccs  Exit (134)               08/31/2010 12:32:57\n"
            "00001 be0310en   /contrib/bin/ccs  Exit (134)               08/31/2010 12:32:57\n");
}

TEST(Report, EveryStatusHasItsWord) {
  RollDriver d = finished_job(9);
  d.ends(d.task("a-host-name-of-twenty"));
  d.ends(d.task(), ExitStatus::signaled(SIGSEGV));
  d.fails_to_start();
  const Tid lost = d.task();
  d.feed(event::StarterLost{lost, 7, 1});
  d.feed(event::LinkEnded{lost, false, 1});
  const std::string table = closing_table(d.roll, "mpirun ./app", fixed_time, false);
  EXPECT_NE(table.find("00000 a-host-nam ./app             Done                     08/31"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("00001 n1         ./app             Signal (11 SEGV)         08/31"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("  Not started  "), std::string::npos) << table;
  EXPECT_NE(table.find("  Lost  "), std::string::npos) << table;
}

// Hydra kills the others with KILL, Open MPI with TERM and then KILL: they are no faults.
TEST(Report, TasksKilledAfterAFailureAreToldApart) {
  RollDriver d = finished_job(4);
  for (int i = 0; i < 4; ++i) d.task();
  d.ends(2, ExitStatus::exited(3));
  d.ends(0, ExitStatus::signaled(SIGKILL));
  d.ends(1, ExitStatus::signaled(SIGTERM));
  d.ends(3, ExitStatus::signaled(SIGSEGV));
  d.launcher_ends(ExitStatus::exited(3));
  const std::string table = closing_table(d.roll, "x", fixed_time, true);
  EXPECT_NE(table.find("00000-00001 n1         ./app             Killed after a failure   08/31"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("00002 n1         ./app             Exit (3) "), std::string::npos) << table;
  EXPECT_NE(table.find("00003 n1         ./app             Signal (11 SEGV) "), std::string::npos) << table;
  const auto report = nlohmann::json::parse(json_report(d.roll, {"x"}, 3));
  EXPECT_EQ(report["tasks"][0]["state"], "signal");
  EXPECT_EQ(report["tasks"][0]["killed_after_failure"], true);
  EXPECT_FALSE(report["tasks"][2].contains("killed_after_failure"));
}

TEST(Report, WithoutATaskOnlyTheJobLineIsPrinted) {
  EXPECT_EQ(closing_table(Roll({}), "mpirun\n./app", fixed_time, false), "Job  mpirun ./app\n");
}

TEST(Report, EqualNeighboursFoldIntoRanges) {
  RollDriver d = finished_job(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) d.task(rank < 2 ? "n1" : "n2", rank);
  for (Tid tid = 0; tid < 4; ++tid) d.ends(tid, tid == 3 ? ExitStatus::exited(3) : ExitStatus::exited(0));
  const std::string table = closing_table(d.roll, "x", fixed_time, true);
  EXPECT_NE(table.find("00000-00002 n1-n2      ./app             Done"), std::string::npos) << table;
  EXPECT_NE(table.find("00003 n2         ./app             Exit (3)"), std::string::npos) << table;
}

TEST(Report, RowsAreInTheOrderOfTheRanks) {
  RollDriver d = finished_job(2);
  d.task("n1", 1);
  d.task("n2", 0);
  d.ends(0);
  d.ends(1);
  const std::string table = closing_table(d.roll, "x", fixed_time, false);
  EXPECT_LT(table.find("00000 n2"), table.find("00001 n1"));
}

TEST(Report, TheJsonHoldsEveryTask) {
  RollDriver d = finished_job(3);
  d.task("n1", 0);
  d.ends(0, ExitStatus::exited(3));
  d.fails_to_start(ENOENT, "n2");
  d.launcher_ends(ExitStatus::exited(3));
  const auto report = nlohmann::json::parse(json_report(d.roll, {"mpirun", "odd \xff byte"}, 127));
  EXPECT_EQ(report["exit_code"], 127);
  EXPECT_EQ(report["job"]["command"][0], "mpirun");
  ASSERT_EQ(report["tasks"].size(), 2u);
  EXPECT_EQ(report["tasks"][0]["state"], "exit");
  EXPECT_EQ(report["tasks"][0]["exit"], 3);
  EXPECT_EQ(report["tasks"][0]["rank"], 0);
  EXPECT_EQ(report["tasks"][0]["pid"], 2000);
  EXPECT_EQ(report["tasks"][1]["state"], "not started");
  EXPECT_EQ(report["tasks"][1]["error"], "cannot execute /x/app: No such file or directory");
}

TEST(Report, HostsFoldInNaturalOrder) {
  EXPECT_EQ(fold_hosts({"n1", "n2", "n3", "n10", "m1"}), "m1,n1-n3,n10");
  EXPECT_EQ(fold_hosts({"n08.site", "n09.site", "n10.site"}), "n08.site-n10.site");
  EXPECT_EQ(fold_hosts({"login", "n1"}), "login,n1");
  EXPECT_EQ(fold_hosts({"n99999999999999999999", "n1"}), "n1,n99999999999999999999");
}

TEST(Report, TheProgressLineCounts) {
  RollDriver d = finished_job(4);
  d.task("n1");
  d.ends(d.task("n2"));
  EXPECT_EQ(progress_line(d.roll, TimePoint{std::chrono::seconds(12)}),
            "2 of 4 tasks registered, 2 hosts, 1 tasks ended, 12 s");
  d.feed(event::StartersWait{2});
  EXPECT_EQ(progress_line(d.roll, TimePoint{std::chrono::seconds(13)}),
            "2 of 4 tasks registered, 2 hosts, 2 told to wait, 1 tasks ended, 13 s");
}

}  // namespace
}  // namespace rollcall::pam
