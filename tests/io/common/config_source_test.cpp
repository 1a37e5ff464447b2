// Where the configuration files are on this host, and what time it is elsewhere.
#include "common/io/config_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "common/base/zone_table.hpp"
#include "common/io/configured_directories.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;

class ConfigSource : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "config-source-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override {
    unsetenv("LSF_ENVDIR");
    fs::remove_all(dir_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  fs::path dir_;
};

TEST_F(ConfigSource, TheEnvironmentNamesTheDirectory) {
  write("lsf.conf", "LSF_LIM_PORT=4711\n");
  write("lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n");
  write("lsf.cluster.lab", "Begin Host\n#INCLUDE \"more\"\nEnd Host\n");
  write("more", "HOSTNAME\nhostA\n");
  setenv("LSF_ENVDIR", dir_.c_str(), 1);
  const auto checked = conf::read_cluster_files(real_file_sources());
  ASSERT_TRUE(checked.files.has_value()) << checked.problems.all().at(0).line();
  EXPECT_EQ(checked.files->settings.lim_port, 4711);
  EXPECT_EQ(checked.files->cluster.hosts.at(0).name, "hostA");
}

TEST_F(ConfigSource, WithoutTheVariableEtcIsTaken) {
  // No conf/lsf.conf stands beside the folder of this test program.
  EXPECT_EQ(real_file_sources().env_dir, "/etc");
  setenv("LSF_ENVDIR", "", 1);
  EXPECT_EQ(real_file_sources().env_dir, "/etc");
  setenv("LSF_ENVDIR", "relative", 1);
  EXPECT_EQ(real_file_sources().env_dir, (fs::current_path() / "relative").string());
}

TEST_F(ConfigSource, UnreadableFilesAreReported) {
  EXPECT_EQ(read_config_file(dir_.string()).error().text, dir_.string() + ": not a regular file");
  EXPECT_EQ(read_config_file((dir_ / "none").string()).error().text,
            (dir_ / "none").string() + ": No such file or directory");
  write("large", "");
  fs::resize_file(dir_ / "large", (64U << 20U) + 1);
  EXPECT_EQ(read_config_file((dir_ / "large").string()).error().text,
            (dir_ / "large").string() + ": larger than 64 MiB");
}

// Minutes from `a` to `b` round the week.
int apart(const conf::LocalTime& a, const conf::LocalTime& b) {
  const int week = 7 * 1440;
  return ((b.day - a.day) * 1440 + b.minute - a.minute + 2 * week) % week;
}

TEST_F(ConfigSource, TimeOfAZoneIsKnown) {
  // The minute may change between two readings of the clock.
  const auto near = [](int minutes, int expected) { return minutes >= expected && minutes <= expected + 1; };
  const auto utc = local_time_in("UTC");
  ASSERT_TRUE(utc.has_value());
  EXPECT_PRED2(near, apart(*utc, *local_time_in("JST")), 540);
  EXPECT_PRED2(near, apart(*local_time_in("EDT"), *local_time_in("UTC")), 240);
  EXPECT_EQ(local_time_in("NOWHERE"), std::nullopt);
  EXPECT_EQ(local_time_in("../../etc/passwd"), std::nullopt);
  EXPECT_EQ(local_time_in("/etc/localtime"), std::nullopt);
  const auto site = local_time_in("");
  ASSERT_TRUE(site.has_value());
  EXPECT_TRUE(site->day >= 0 && site->day < 7 && site->minute >= 0 && site->minute < 1440);
}

bool has_zone_tables() { return fs::exists("/usr/share/zoneinfo/Asia/Tokyo"); }

TEST_F(ConfigSource, AZoneOfTheSystemsTablesLeavesTheSitesOwnAlone) {
  if (!has_zone_tables()) GTEST_SKIP() << "no time zone tables (package tzdata)";
  setenv("TZ", "UTC0", 1);
  const int difference = apart(*local_time_in(""), *local_time_in("Asia/Tokyo"));
  EXPECT_TRUE(difference == 540 || difference == 541) << difference;
  EXPECT_STREQ(std::getenv("TZ"), "UTC0");
  unsetenv("TZ");
  tzset();
}

// Threads of a daemon that reads its configuration again are in getaddrinfo(), which reads the environment.
TEST_F(ConfigSource, AZoneIsAskedForWithoutTouchingTheEnvironment) {
  if (!has_zone_tables()) GTEST_SKIP() << "no time zone tables (package tzdata)";
  std::vector<char*> words;
  for (char** word = environ; *word != nullptr; ++word) words.push_back(*word);
  words.push_back(nullptr);
  char** const before = environ;
  environ = words.data();
  EXPECT_TRUE(local_time_in("Asia/Tokyo").has_value());
  EXPECT_EQ(environ, words.data()) << "it was copied to make room";
  environ = before;
}

// The table of a zone as the C library understands it, which must be told of it in the environment.
void compare_with_the_library(const fs::path& path) {
  const auto table = read_file(path.string());
  ASSERT_TRUE(table) << path;
  setenv("TZ", (":" + path.string()).c_str(), 1);
  tzset();
  for (std::int64_t when = 0; when < 2'800'000'000; when += 2'345'677) {
    const time_t moment = when;
    tm broken{};
    localtime_r(&moment, &broken);
    const auto offset = offset_in_zone(*table, when);
    ASSERT_TRUE(offset) << path << " at " << when;
    ASSERT_EQ(*offset, broken.tm_gmtoff) << path << " at " << when;
  }
}

TEST_F(ConfigSource, TheSystemsZonesAreUnderstoodAsTheCLibraryDoes) {
  if (!has_zone_tables()) GTEST_SKIP() << "no time zone tables (package tzdata)";
  int zones = 0;
  for (const char* part : {"Africa", "America", "Asia", "Australia", "Europe", "Pacific"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path("/usr/share/zoneinfo") / part))
      if (entry.is_regular_file()) {
        compare_with_the_library(entry.path());
        ++zones;
      }
  unsetenv("TZ");
  tzset();
  EXPECT_GT(zones, 100);
}

TEST(ConfiguredDirectories, OneThatDoesNotExistIsNamed) {
  const auto conf = conf::LsfConf::parse(
      "LSF_LOGDIR=/tmp\nLSB_SHAREDIR=/tmp/there is no such "
      "directory\nLSF_SERVERDIR=relative\nROLLCALL_RUNDIR=\n"
      "ROLLCALL_JOBDIR=/etc/passwd\n",
      "lsf.conf");
  ASSERT_TRUE(conf);
  conf::Problems problems;
  check_directories(conf::named_directories(*conf, {"LSF_LOGDIR", "LSB_SHAREDIR", "LSF_SERVERDIR",
                                                    "ROLLCALL_RUNDIR", "ROLLCALL_JOBDIR", "LSF_BINDIR"}),
                    problems);
  EXPECT_THAT(
      problems.warning_lines(),
      testing::ElementsAre("lsf.conf:2: warning: LSB_SHAREDIR: found \"/tmp/there is no such directory\", "
                           "expected a directory that exists on this host",
                           "lsf.conf:5: warning: ROLLCALL_JOBDIR: found \"/etc/passwd\", expected a "
                           "directory that exists on this host"));
  EXPECT_FALSE(problems.has_errors());
}

}  // namespace
}  // namespace rollcall::io
