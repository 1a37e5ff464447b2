// What RES notes of jobs that may have started (res/daemon/job_directories.hpp), on a disk that has no room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "res/daemon/job_directories.hpp"

namespace rollcall::res {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

wire::JobAttempt first_of_job(int id) {
  wire::JobAttempt job;
  job.mutable_key()->set_id(id);
  job.set_attempt(1);
  return job;
}

class ResNotes : public ::testing::Test {
 protected:
  ResNotes() {
    char name[] = "/tmp/rollcall-res-notes.XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    top_ = name;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
  }
  ~ResNotes() override {
    room_again();
    fs::remove_all(top_);
  }
  JobDirectories open() {
    auto opened = JobDirectories::open(top_, "h");
    EXPECT_TRUE(opened) << opened.error().text;
    return std::move(*opened);
  }
  std::vector<int> noted() {
    std::vector<int> ids;
    const JobDirectories opened = open();
    for (const auto& job : opened.noted_before()) ids.push_back(job.key().id());
    return ids;
  }
  // No file may become larger than the notes and so many bytes.
  void room_for(std::uintmax_t bytes) {
    const rlimit full{fs::file_size(top_ + "/h/started") + bytes, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  }
  void room_again() { setrlimit(RLIMIT_FSIZE, &before_); }

  std::string top_;
  rlimit before_{};
};

TEST_F(ResNotes, AStartThatIsCutOffTakesNoOtherAlong) {
  {
    auto directories = open();
    ASSERT_TRUE(directories.note_started({first_of_job(1)}));
    room_for(3);
    EXPECT_FALSE(directories.note_started({first_of_job(2)}));
    room_again();
    ASSERT_TRUE(directories.note_started({first_of_job(3)}));
  }
  EXPECT_THAT(noted(), ElementsAre(1, 3));
}

TEST_F(ResNotes, AnEndThatIsCutOffTakesNoStartAlong) {
  {
    auto directories = open();
    ASSERT_TRUE(directories.note_started({first_of_job(1), first_of_job(2)}));
    room_for(3);
    directories.note_over(first_of_job(1));
    room_again();
    directories.note_over(first_of_job(2));
    ASSERT_TRUE(directories.note_started({first_of_job(4)}));
  }
  EXPECT_THAT(noted(), ElementsAre(1, 4)) << "the end of 1 is told once more, that of 2 is not";
}

TEST_F(ResNotes, WithoutRoomToWriteThemAnewTheOldOnesGoOn) {
  { ASSERT_TRUE(open().note_started({first_of_job(1), first_of_job(2)})); }
  const rlimit none{0, before_.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  {
    auto directories = open();
    EXPECT_EQ(directories.noted_before().size(), 2U);
    EXPECT_FALSE(directories.note_started({first_of_job(3)}));
    room_again();
    EXPECT_TRUE(directories.note_started({first_of_job(4)}));
  }
  EXPECT_THAT(noted(), ElementsAre(1, 2, 4));
}

TEST_F(ResNotes, ATermKeepsTheNumbersOfLeases) {
  LeaseNumbers leases;
  leases.named(5, {7, 4});
  {
    auto directories = open();
    ASSERT_TRUE(directories.set_leases(leases));
    ASSERT_TRUE(directories.set_term(12));
  }
  {
    auto directories = open();
    EXPECT_EQ(directories.term(), 12U);
    EXPECT_EQ(directories.leases().known(), leases.known());
    ASSERT_TRUE(directories.forget_orders());
  }
  EXPECT_EQ(open().leases().size(), 0U);
}

TEST_F(ResNotes, ANumberThatHasNoRoomOnDiskDoesNotHold) {
  auto directories = open();
  LeaseNumbers leases;
  leases.named(5, {7, 4});
  ASSERT_TRUE(directories.set_leases(leases));
  const auto before = leases.known();
  leases.named(5, {7, 5});
  const rlimit none{0, before_.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  EXPECT_FALSE(directories.set_leases(leases));
  room_again();
  EXPECT_EQ(directories.leases().known(), before);
}

}  // namespace
}  // namespace rollcall::res
