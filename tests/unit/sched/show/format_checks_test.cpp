// What ckconfig says of the columns that lsf.conf chooses.
#include "sched/policy/show/format_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::sched::show {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> said(const std::string& lines) {
  conf::ClusterFiles files;
  files.lsf_conf = *conf::LsfConf::parse(lines, "lsf.conf");
  conf::Problems problems;
  check_formats(files, problems);
  return lines_of(problems);
}

TEST(Formats, WarnOfFieldsThatACommandDoesNotHave) {
  EXPECT_THAT(
      said("LSB_BJOBS_FORMAT=\"jobid user usr\"\nLSB_BHOSTS_FORMAT=\"host_name jobid\"\n"
           "LSB_BQUEUES_FORMAT=\"queue_name:wide\"\nLSB_BUSERS_FORMAT=pending\n"),
      ElementsAre("lsf.conf:1: warning: LSB_BJOBS_FORMAT: <usr> is not a valid field name; bjobs fails "
                  "with it (see bjobs(1), -o)",
                  "lsf.conf:2: warning: LSB_BHOSTS_FORMAT: <jobid> is not a valid field name; bhosts "
                  "fails with it (see bhosts(1), -o)",
                  "lsf.conf:3: warning: LSB_BQUEUES_FORMAT: found the width \"wide\", expected 1 to "
                  "4096; bqueues fails with it (see bqueues(1), -o)",
                  "lsf.conf:4: warning: LSB_BUSERS_FORMAT: <pending> is not a valid field name; busers "
                  "fails with it (see busers(1), -o)"));
}

TEST(Formats, AcceptWhatTheOptionTakes) {
  EXPECT_THAT(said("LSB_BJOBS_FORMAT=\"jobid:8 stat:-6 exec_host delimiter='^'\"\nLSB_BHOSTS_FORMAT=all\n"
                   "LSB_BQUEUES_FORMAT=\"queue_name status:\"\nLSB_BUSERS_FORMAT=\"user max\"\n"),
              IsEmpty());
  EXPECT_THAT(said("LSB_BJOBS_FORMAT=all\n"), IsEmpty());
  EXPECT_THAT(said(""), IsEmpty());
}

}  // namespace
}  // namespace rollcall::sched::show
