// Faults of a store: a killed writer, a full disk, a second opener, files with unsafe modes.
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <random>

#include "tests/io/common/job_store_fixture.hpp"

namespace rollcall::io {
namespace {

TEST_P(AnyStore, ASecondOpenerIsRefused) {
  auto store = open();
  const auto refused = error();
  EXPECT_EQ(refused.kind, Kind::in_use);
  EXPECT_THAT(refused.text, HasSubstr("another mbatchd"));
  ASSERT_TRUE(store->commit(one_job(1))) << "the first one goes on";
}

TEST_F(Store, UnsafeFilesAreRefused) {
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  EXPECT_THAT(error().text, HasSubstr("found mode 0777"));
  ASSERT_EQ(chmod(directory.c_str(), 0755), 0);
  { auto store = open(); }
  struct stat made {};
  ASSERT_EQ(stat((directory + "/jobs.db").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  ASSERT_EQ(chmod((directory + "/jobs.db").c_str(), 0640), 0);
  EXPECT_THAT(error().text, HasSubstr("found mode 0640"));
  std::filesystem::remove(directory + "/jobs.db");
  std::filesystem::create_symlink("/etc/passwd", directory + "/jobs.db");
  EXPECT_THAT(error().text, HasSubstr("jobs.db: cannot be opened"));
  std::filesystem::remove(directory + "/jobs.db");
  std::ofstream(directory + "/jobs.db")
      << "something quite different, and longer than the head of a database file";
  ASSERT_EQ(chmod((directory + "/jobs.db").c_str(), 0600), 0);
  EXPECT_THAT(error().text, HasSubstr("jobs.db"));
}

TEST_F(Store, AnUnusualNameOfTheDirectory) {
  const std::string inner = directory + "/it's a = b; dir";
  std::filesystem::create_directory(inner);
  auto store = open_sqlite_job_store(inner);
  ASSERT_TRUE(store) << store.error().text;
  EXPECT_TRUE(std::filesystem::exists(inner + "/jobs.db"));
}

// A writer commits one job for each batch and says so on a pipe; it is killed at any moment. What it said is there, and
// at most one more.
TEST_F(Store, KilledWriterLosesNoAcknowledgedCommit) {
  std::mt19937 random(20240817);
  int said = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
      close(ends[0]);
      auto store = open_sqlite_job_store(directory);
      if (!store) _exit(2);
      for (int id = said + 1;; ++id) {
        if (!(*store)->commit(one_job(id, 2000))) _exit(3);
        if (write(ends[1], &id, sizeof id) != sizeof id) _exit(4);
      }
    }
    close(ends[1]);
    const int last = said + 1 + static_cast<int>(random() % 20);
    for (int id = 0; id < last;) ASSERT_EQ(read(ends[0], &id, sizeof id), ssize_t{sizeof id});
    std::uniform_int_distribution<int> microseconds(0, 3000);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds(random));
    while (std::chrono::steady_clock::now() < until) continue;
    kill(writer, SIGKILL);
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    for (int id = 0; read(ends[0], &id, sizeof id) == sizeof id;) said = id;
    said = std::max(said, last);
    close(ends[0]);
    auto store = open();
    const auto loaded = load(*store);
    const int found = static_cast<int>(loaded.jobs.size());
    ASSERT_GE(found, said);
    ASSERT_LE(found, said + 1);
    ASSERT_EQ(store->number(StoreNumber::next_job), found + 1) << "a batch is whole or not there";
    ASSERT_EQ(store->last_event(), static_cast<std::uint64_t>(found));
    ASSERT_EQ(loaded.commands.size(), loaded.jobs.size());
    said = found;
  }
}

TEST_F(Store, FullDiskIsAnErrorOfItsOwnAndPasses) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const std::string small = directory + "/small";
  std::filesystem::create_directory(small);
  if (mount("rollcall-store", small.c_str(), "tmpfs", 0, "size=1m,mode=0755") != 0)
    GTEST_SKIP() << "no tmpfs can be mounted here: " << strerror(errno);
  {
    auto store = open_sqlite_job_store(small);
    ASSERT_TRUE(store) << store.error().text;
    { std::ofstream(small + "/ballast") << std::string(200 << 10, 'b'); }
    int id = 1;
    StoreResult<std::uint64_t> done = std::uint64_t{0};
    for (; id < 200; ++id) {
      done = (*store)->commit(one_job(id, 20'000));
      if (!done) break;
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, Kind::disk_full) << done.error().text;
    EXPECT_EQ(load(**store).jobs.size(), static_cast<std::size_t>(id - 1)) << "the store is as before";
    EXPECT_FALSE((*store)->commit(one_job(id, 20'000)));
    std::filesystem::remove(small + "/ballast");
    const auto later = (*store)->commit(one_job(id, 20'000));
    EXPECT_TRUE(later) << later.error().text;
    EXPECT_EQ(load(**store).jobs.size(), static_cast<std::size_t>(id));
  }
  EXPECT_EQ(umount(small.c_str()), 0);
}

}  // namespace
}  // namespace rollcall::io
