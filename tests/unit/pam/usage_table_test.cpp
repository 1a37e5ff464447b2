// The table of --usage, byte for byte.
#include <gtest/gtest.h>

#include "pam/policy/report.hpp"
#include "tests/unit/pam/roll_driver.hpp"
#include "tests/unit/pam/whole_texts.hpp"

namespace rollcall::pam {
namespace {

TaskUsage used(int user_ms, int system_ms, std::uint64_t memory, std::uint64_t switches,
               std::uint64_t written) {
  TaskUsage usage;
  usage.user = std::chrono::milliseconds(user_ms);
  usage.system = std::chrono::milliseconds(system_ms);
  usage.peak_memory_bytes = memory;
  usage.voluntary_switches = switches;
  usage.involuntary_switches = 2;
  usage.written_bytes = written;
  return usage;
}

class UsageTable : public ::testing::Test {
 protected:
  UsageTable() { driver.launch(); }
  static RollRules rules() {
    RollRules rules;
    rules.expected = 4;
    return rules;
  }
  void ends(Tid tid, const TaskUsage& usage, int code = 0) {
    driver.feed(event::TaskEnded{tid, ExitStatus::exited(code), 1, usage, 0});
  }
  RollDriver driver{rules()};
};

TEST_F(UsageTable, HasARowForEachTaskAndTheSums) {
  driver.task("n2", 1);
  driver.task("a-host-name-of-twenty", 0);
  driver.task("n3", 2);
  ends(0, used(1500, 250, 12 << 20, 40, 4096));
  ends(1, used(3725000, 999994, std::uint64_t{3} << 30, 1234567, 512));
  driver.feed(event::LinkEnded{2, false, 1});
  driver.pass(kClosedLink);
  EXPECT_EQ(usage_table(driver.roll, false),
            "TID   HOST_NAME   USER_TIME  SYSTEM_TIME   PEAK_MEMORY  SWITCHES        READ     WRITTEN\n"
            "===== ========== ========== ============ ============= ========= =========== ===========\n"
            "00000 a-host-nam  3725.00 s     999.99 s       3.0 GiB   1234569         0 B       512 B\n"
            "00001 n2             1.50 s       0.25 s      12.0 MiB        42         0 B     4.0 KiB\n"
            "00002 n3                  -            -             -         -           -           -\n"
            "total             3726.50 s    1000.24 s       3.0 GiB   1234611         0 B     4.5 KiB\n");
}

TEST_F(UsageTable, FoldsAsTheClosingTableDoes) {
  for (const char* host : {"n1", "n1", "n2", "n2"}) driver.task(host);
  for (Tid tid = 0; tid < 4; ++tid) ends(tid, used(1000, 0, (tid + 1) << 20, 0, 0), tid == 3 ? 1 : 0);
  const std::string table = usage_table(driver.roll, true);
  EXPECT_NE(table.find("00000-00002 n1-n2          3.00 s       0.00 s       3.0 MiB         6 "), table.npos)
      << table;
  EXPECT_NE(table.find("00003 n2             1.00 s       0.00 s       4.0 MiB         2 "), table.npos)
      << table;
}

TEST_F(UsageTable, OneTaskNeedsNoSums) {
  driver.task("n1");
  ends(0, used(10, 0, 1023, 0, 0));
  const std::string table = usage_table(driver.roll, false);
  EXPECT_NE(table.find(" 1023 B "), table.npos) << table;
  EXPECT_EQ(table.find("total"), table.npos) << table;
}

TEST_F(UsageTable, WithoutTasksThereIsNone) { EXPECT_EQ(usage_table(driver.roll, false), ""); }

}  // namespace
}  // namespace rollcall::pam
