// What RES keeps of its jobs on disk (res/daemon/job_directories.hpp).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "res/daemon/job_directories.hpp"

namespace rollcall::res {
namespace {

namespace fs = std::filesystem;

wire::JobAttempt attempt(int id) {
  wire::JobAttempt job;
  job.mutable_key()->set_id(id);
  job.set_attempt(1);
  return job;
}

class ResDirectories : public ::testing::Test {
 protected:
  ResDirectories() {
    char name[] = "/tmp/rollcall-res-directories.XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    top_ = name;
  }
  ~ResDirectories() override { fs::remove_all(top_); }
  JobDirectories open() {
    auto opened = JobDirectories::open(top_, "h");
    EXPECT_TRUE(opened) << opened.error().text;
    return std::move(*opened);
  }
  std::vector<int> noted(const JobDirectories& directories) const {
    std::vector<int> ids;
    for (const auto& job : directories.noted_before()) ids.push_back(job.key().id());
    return ids;
  }
  std::uintmax_t notes_size() const { return fs::file_size(top_ + "/h/started"); }
  std::string top_;
};

TEST_F(ResDirectories, NotesAreWrittenAnewWhenTheyHaveGrown) {
  std::optional<JobDirectories> first = open();
  JobDirectories& directories = *first;
  ASSERT_TRUE(directories.note_started({attempt(1)}));
  std::uintmax_t largest = 0;
  for (int id = 2, batch = 0; batch < 250; ++batch) {
    std::vector<wire::JobAttempt> jobs;
    for (int i = 0; i < 1000; ++i) jobs.push_back(attempt(id++));
    ASSERT_TRUE(directories.note_started(jobs));
    for (const auto& job : jobs) directories.note_over(job);
    largest = std::max(largest, notes_size());
  }
  EXPECT_LT(largest, 2U << 20) << "of 6 MB that were written";
  ASSERT_TRUE(directories.note_started({attempt(500'000)}));
  first.reset();
  EXPECT_THAT(noted(open()), ::testing::ElementsAre(1, 500'000)) << "a job that is not over is kept";
}

TEST_F(ResDirectories, FinishedJobsAndCutOffLinesAreForgotten) {
  {
    auto directories = open();
    ASSERT_TRUE(directories.note_started({attempt(1), attempt(2), attempt(3)}));
    directories.note_over(attempt(2));
  }
  const int fd = ::open((top_ + "/h/started").c_str(), O_WRONLY | O_APPEND);
  ASSERT_EQ(write(fd, "S4.0", 4), 4);
  close(fd);
  EXPECT_THAT(noted(open()), ::testing::ElementsAre(1, 3));
}

TEST_F(ResDirectories, DirectorySetAsideIsNoJobAndItsNameIsFree) {
  auto directories = open();
  ASSERT_TRUE(directories.create("7.0.1", wire::JobOrder()));
  const std::string aside = directories.set_aside("7.0.1");
  EXPECT_THAT(aside, ::testing::StartsWith("gone."));
  EXPECT_TRUE(directories.names().empty());
  EXPECT_THAT(directories.set_aside_before(), ::testing::ElementsAre(aside));
  EXPECT_TRUE(directories.create("7.0.1", wire::JobOrder())) << "the job may come again at once";
  EXPECT_EQ(directories.set_aside("no such job"), "");
}

TEST_F(ResDirectories, ANameThatIsTakenIsPassedOver) {
  auto directories = open();
  const std::string taken = top_ + "/h/gone." + std::to_string(getpid()) + ".1";
  fs::create_directories(taken + "/full");
  ASSERT_TRUE(directories.create("7.0.1", wire::JobOrder()));
  EXPECT_EQ(directories.set_aside("7.0.1"), "gone." + std::to_string(getpid()) + ".2");
  EXPECT_TRUE(fs::exists(taken + "/full"));
}

TEST_F(ResDirectories, ATermThatCannotBeKeptIsAnError) {
  std::optional<JobDirectories> first = open();
  JobDirectories& directories = *first;
  ASSERT_TRUE(directories.set_term(3));
  fs::create_directory(top_ + "/h/term.new");
  EXPECT_FALSE(directories.set_term(4));
  EXPECT_EQ(directories.term(), 3U);
  fs::remove(top_ + "/h/term.new");
  first.reset();
  EXPECT_EQ(open().term(), 3U);
}

TEST_F(ResDirectories, AFolderIsOneResAlone) {
  std::optional<JobDirectories> first = open();
  const auto second = JobDirectories::open(top_, "h");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, ::testing::HasSubstr("found another RES that has it"));
  EXPECT_TRUE(JobDirectories::open(top_, "other host")) << "each host has its own";
  first.reset();
  EXPECT_TRUE(JobDirectories::open(top_, "h"));
}

}  // namespace
}  // namespace rollcall::res
