// FileSnapshot: at another hour #if time() is evaluated again on the texts as first read; no file is read again.
#include "common/conf/file_snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::IsEmpty;

MemoryFiles lab(const std::string& parameters) {
  return {.files = {{"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
                    {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                    {"/c/lsf.cluster.lab", "Begin Parameters\n" + parameters +
                                               "End Parameters\nBegin Host\nHOSTNAME\nhost1\nEnd Host\n"}},
          .now = {2, 12 * 60}};
}

// EXINTERVAL of a set, in seconds; 0 where the set has errors.
long interval(FileSnapshot& kept) {
  const auto checked = read_cluster_files(kept.sources());
  kept.complete();
  if (!checked.files) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(checked.files->cluster.parameters.exchange_interval)
      .count();
}

constexpr const char* kNight = "#if time(20:00-8:00)\nEXINTERVAL = 60\n#else\nEXINTERVAL = 5\n#endif\n";

TEST(FileSnapshot, AConditionIsDecidedAnewByTheSameTexts) {
  auto files = lab(kNight);
  FileSnapshot day(files.sources());
  EXPECT_EQ(interval(day), 5);
  EXPECT_FALSE(day.outdated());
  files.now = {2, 19 * 60 + 59};
  EXPECT_FALSE(day.outdated());
  files.now = {2, 20 * 60};
  EXPECT_TRUE(day.outdated());
  files.files["/c/lsf.cluster.lab"] = "half edited";
  const auto night = day.again();
  EXPECT_EQ(interval(*night), 60) << "later edits are not read";
  EXPECT_FALSE(night->outdated());
  files.now = {3, 8 * 60};
  EXPECT_TRUE(night->outdated());
  EXPECT_EQ(interval(*night->again()), 5);
}

TEST(FileSnapshot, ASetThatIsTheSameAtAllTimesIsNeverOutdated) {
  auto files = lab("EXINTERVAL = 5\n");
  FileSnapshot kept(files.sources());
  EXPECT_EQ(interval(kept), 5);
  files.now = {2, 20 * 60};
  EXPECT_FALSE(kept.outdated());
}

TEST(FileSnapshot, AnErrorOfAnotherHourIsSeenAtThatHour) {
  auto files = lab("#if time(20:00-8:00)\nEXINTERVAL = never\n#endif\n");
  FileSnapshot day(files.sources());
  EXPECT_EQ(interval(day), 15);
  files.now = {2, 20 * 60};
  ASSERT_TRUE(day.outdated());
  const auto night = day.again();
  EXPECT_EQ(interval(*night), 15) << "the value is left out";
  EXPECT_FALSE(night->outdated()) << "it is told once, not each minute";
  files.now = {3, 8 * 60};
  EXPECT_TRUE(night->outdated()) << "and the morning is another set";
  EXPECT_EQ(interval(*night->again()), 15);
}

TEST(FileSnapshot, AFileOfABranchThatWasClosedIsReadWhenItOpens) {
  auto files = lab("#if time(20:00-8:00)\n#INCLUDE \"night\"\n#endif\n");
  FileSnapshot day(files.sources());
  EXPECT_EQ(interval(day), 15);
  files.files["/c/night"] = "EXINTERVAL = 60\n";
  files.now = {2, 20 * 60};
  EXPECT_EQ(interval(*day.again()), 60);
}

TEST(FileSnapshot, AZoneOfItsOwnCounts) {
  auto files = lab("#if time(20:00-8:00 EDT)\nEXINTERVAL = 60\n#endif\n");  // there it is an hour later
  FileSnapshot kept(files.sources());
  EXPECT_EQ(interval(kept), 15);
  files.now = {2, 19 * 60};
  EXPECT_TRUE(kept.outdated());
}

TEST(FileSnapshot, APackedSetIsReadAgainWithoutItsFiles) {
  auto files = lab(kNight);
  files.files["/c/hosts"] = "10.0.0.1 host1 two\nlines:and 7:bytes\n";
  FileSnapshot kept(files.sources());
  EXPECT_TRUE(read_cluster_files(kept.sources()).files);
  const std::string packed = kept.packed();
  files.files.clear();
  const auto sources = unpacked(packed, files.sources().time);
  ASSERT_TRUE(sources);
  EXPECT_EQ(sources->env_dir, "/c");
  EXPECT_EQ(*sources->read("/c/hosts"), "10.0.0.1 host1 two\nlines:and 7:bytes\n");
  FileSnapshot again(*sources);
  EXPECT_EQ(interval(again), 5);
  files.now = {2, 20 * 60};
  EXPECT_TRUE(again.outdated()) << "#if time() goes on by the clock of now";
  EXPECT_EQ(interval(*again.again()), 60);
  const auto missing = sources->read("/c/other");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text, "/c/other: was not there when the files were kept");
}

TEST(FileSnapshot, ATextBesideTheFilesIsPackedOnce) {
  auto files = lab(kNight);
  FileSnapshot kept(files.sources());
  EXPECT_TRUE(read_cluster_files(kept.sources()).files);
  const auto with = unpacked(kept.packed({{"in force", "x\n"}}), files.sources().time);
  ASSERT_TRUE(with);
  EXPECT_EQ(*with->read("in force"), "x\n");
  EXPECT_TRUE(with->read("/c/lsf.conf"));
  const auto without = unpacked(kept.packed(), files.sources().time);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->read("in force"));
}

TEST(FileSnapshot, APackedSetIsWholeOrNone) {
  auto files = lab("EXINTERVAL = 5\n");
  FileSnapshot kept(files.sources());
  EXPECT_TRUE(read_cluster_files(kept.sources()).files);
  const std::string packed = kept.packed();
  ASSERT_TRUE(unpacked(packed, {}));
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unpacked(packed.substr(0, size), {})) << "cut at byte " << size;
  EXPECT_FALSE(unpacked(packed + "x", {}));
  EXPECT_FALSE(unpacked("rollcall files 1\n99999999999:x\nend\n", {}));
  EXPECT_FALSE(unpacked("rollcall files 1\n2:/c\n1:a\n1:b\n1:a\n1:c\nend\n", {})) << "a path twice";
}

}  // namespace
}  // namespace rollcall::conf
