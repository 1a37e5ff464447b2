// TicketFile: a written ticket reads back; a file or place with any fault means no ticket, and is never an error.
#include "common/io/ticket_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/io/local_place.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;

Ticket ticket_of(std::uint8_t value) {
  Ticket ticket;
  ticket.id.fill(value);
  ticket.secret.fill(static_cast<std::uint8_t>(value + 1));
  return ticket;
}

const ClusterPublicKey kCluster{7};

class TicketFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(top_.data()), nullptr);
    setenv("HOME", top_.c_str(), 1);
    unsetenv("XDG_RUNTIME_DIR");
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string place() const { return top_ + "/.rollcall"; }
  std::string path() const { return place() + "/ticket.m1.6881.n1.0700000000000000"; }
  void expect_none(const char* why) const { EXPECT_FALSE(file_.read()) << why; }
  void expect(const Ticket& ticket) const {
    const auto found = file_.read();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bytes(), ticket.bytes());
  }

  std::string top_ = "/tmp/ticket_file.XXXXXX";
  const TicketFile file_{"m1", 6881, "n1", kCluster};
};

TEST_F(TicketFiles, AreReadAsTheyWereWrittenAndAreTheUsersAlone) {
  expect_none("there is none");
  EXPECT_FALSE(fs::exists(place())) << "reading makes no directory";
  umask(0);
  file_.write(ticket_of(1));
  umask(022);
  expect(ticket_of(1));
  struct stat info;
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  ASSERT_EQ(stat(place().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  file_.write(ticket_of(2));
  expect(ticket_of(2));
  EXPECT_EQ(std::distance(fs::directory_iterator(place()), {}), 1) << "expected no other file beside it";
  EXPECT_FALSE(TicketFile("m2", 6881, "n1", kCluster).read());
  EXPECT_FALSE(TicketFile("m1", 6882, "n1", kCluster).read());
  EXPECT_FALSE(TicketFile("m1", 6881, "n2", kCluster).read());
  EXPECT_FALSE(TicketFile("m1", 6881, "n1", ClusterPublicKey{8}).read())
      << "another cluster at the same port";
}

TEST_F(TicketFiles, AreInTheRunTimeDirectoryWhereThereIsOne) {
  const std::string run = top_ + "/run";
  fs::create_directory(run);
  setenv("XDG_RUNTIME_DIR", run.c_str(), 1);
  file_.write(ticket_of(1));
  EXPECT_TRUE(fs::exists(run + "/rollcall/ticket.m1.6881.n1.0700000000000000"));
  EXPECT_FALSE(fs::exists(place()));
  expect(ticket_of(1));
  setenv("XDG_RUNTIME_DIR", "run", 1);
  expect_none("a relative name is no place");
  setenv("XDG_RUNTIME_DIR", (top_ + "/nowhere").c_str(), 1);
  file_.write(ticket_of(2));
  EXPECT_TRUE(fs::exists(path()));
  expect(ticket_of(2));
}

TEST_F(TicketFiles, IgnoresFilesThatOthersCanReadOrChange) {
  file_.write(ticket_of(1));
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0660, 0777}) {
    chmod(path().c_str(), mode);
    expect_none("its mode");
  }
  chmod(path().c_str(), 0600);
  for (const mode_t mode : {0750, 0701, 0720, 0777}) {
    chmod(place().c_str(), mode);
    expect_none("its directory's mode");
  }
  chmod(place().c_str(), 0700);
  ASSERT_EQ(link(path().c_str(), (top_ + "/another").c_str()), 0);
  expect_none("two names");
  fs::remove(top_ + "/another");
  expect(ticket_of(1));
}

TEST_F(TicketFiles, IgnoresFilesOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  file_.write(ticket_of(1));
  ASSERT_EQ(chown(path().c_str(), 1, 1), 0);
  expect_none("another's file in our directory");
  ASSERT_EQ(chown(path().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(place().c_str(), 1, 1), 0);
  expect_none("our file in another's directory, who could have put it there");
  file_.write(ticket_of(2));
  ASSERT_EQ(chown(place().c_str(), 0, 0), 0);
  expect(ticket_of(1));
  fs::remove_all(place());
  ASSERT_EQ(chown(top_.c_str(), 1, 1), 0);
  file_.write(ticket_of(1));
  EXPECT_FALSE(fs::exists(place())) << "expected no file in another user's home";
}

TEST_F(TicketFiles, IgnoresFilesThatAreNotRegular) {
  file_.write(ticket_of(1));
  fs::rename(path(), place() + "/real");
  fs::create_symlink(place() + "/real", path());
  expect_none("a symbolic link");
  file_.write(ticket_of(2));
  expect(ticket_of(2));
  std::ifstream real(place() + "/real");
  std::string text;
  std::getline(real, text);
  EXPECT_EQ(text + "\n", print_ticket_file(ticket_of(1))) << "the link was replaced, not followed";
  fs::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  expect_none("a FIFO, which holds nobody");
  fs::remove(path());
  fs::create_directory(path());
  expect_none("a directory");
  file_.write(ticket_of(1));
  expect_none("nor is it written over");
  EXPECT_EQ(std::distance(fs::directory_iterator(place()), {}), 2) << "expected no other file beside it";
  fs::remove(path());
  fs::rename(place(), top_ + "/elsewhere");
  fs::create_directory_symlink(top_ + "/elsewhere", place());
  file_.write(ticket_of(1));
  expect_none("a directory that is a symbolic link");
}

TEST_F(TicketFiles, IgnoresFilesWithOtherContents) {
  file_.write(ticket_of(1));
  const std::string good = print_ticket_file(ticket_of(1));
  for (const std::string& text :
       {std::string(), good.substr(1), good + good, good + "x", good.substr(0, 96) + " ",
        "g" + good.substr(1), std::string(97, '\0'), std::string(1 << 20, 'a')}) {
    std::ofstream(path(), std::ios::trunc) << text;
    expect_none("its text");
    EXPECT_FALSE(parse_ticket_file(text));
  }
  std::ofstream(path(), std::ios::trunc) << good;
  expect(ticket_of(1));
}

// A ticket that cannot be written is dropped and the command goes on, also where RLIMIT_FSIZE would end the process.
TEST_F(TicketFiles, FailedWriteKeepsTheOldTicketAndIsNoError) {
  file_.write(ticket_of(1));
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{10, 10};
    setrlimit(RLIMIT_FSIZE, &none);
    file_.write(ticket_of(2));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  expect(ticket_of(1));
  setenv("HOME", "/dev/null", 1);
  file_.write(ticket_of(2));
  unsetenv("HOME");
  file_.write(ticket_of(2));
  expect_none("there is no place");
}

TEST_F(TicketFiles, OnAFullDiskStayWhatTheyWere) {
  fs::create_directory(place());
  chmod(place().c_str(), 0700);
  if (geteuid() != 0 || mount("none", place().c_str(), "tmpfs", 0, "size=8k,mode=0700") != 0)
    GTEST_SKIP() << "only root can mount a small disk";
  file_.write(ticket_of(1));
  { std::ofstream(place() + "/filler") << std::string(1 << 16, 'x'); }
  file_.write(ticket_of(2));
  const auto found = file_.read();
  const auto files = std::distance(fs::directory_iterator(place()), {});
  umount2(place().c_str(), MNT_DETACH);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes(), ticket_of(1).bytes());
  EXPECT_EQ(files, 2) << "expected no other file beside it";
}

TEST_F(TicketFiles, HostNameWithASlashReadsNoFileElsewhere) {
  file_.write(ticket_of(1));
  fs::create_directory(place() + "/ticket...");
  fs::copy_file(path(), place() + "/ticket.../x.6881.n1.0700000000000000");
  EXPECT_FALSE(TicketFile("../x", 6881, "n1", kCluster).read()) << "a ticket lies where this name would lead";
  const TicketFile long_name(std::string(300, 'h'), 6881, "n1", kCluster);
  long_name.write(ticket_of(2));
  EXPECT_FALSE(long_name.read());
  expect(ticket_of(1));
}

// Every open() of what is below a directory waits while this lives, as on a file server that is gone; needs root.
class HangingFiles {
 public:
  explicit HangingFiles(const std::string& directory)
      : group_(fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY)) {
    hangs_ = group_ >= 0 && fanotify_mark(group_, FAN_MARK_ADD | FAN_MARK_MOUNT, FAN_OPEN_PERM | FAN_ONDIR,
                                          AT_FDCWD, directory.c_str()) == 0;
  }
  ~HangingFiles() { close(group_); }
  bool hangs() const { return hangs_; }

 private:
  int group_;
  bool hangs_ = false;
};

TEST_F(TicketFiles, DoesNotWaitForAHangingHome) {
  if (mount("none", top_.c_str(), "tmpfs", 0, nullptr) != 0) GTEST_SKIP() << "needs the right to mount";
  file_.write(ticket_of(1));
  expect(ticket_of(1));
  {
    const HangingFiles hanging(top_);
    if (!hanging.hangs()) {
      umount(top_.c_str());
      GTEST_SKIP() << "needs fanotify with permission events";
    }
    expect_none("its file server hangs");
    file_.write(ticket_of(2));  // comes back, too
  }
  umount2(top_.c_str(), MNT_DETACH);
}

TEST(LocalPlace, IsADiskOfThisHostThatTheKernelKnows) {
  for (const std::string directory : {"/", "/home", "/tmp", "/var/tmp", "/boot"}) {
    struct statx info {};
    const bool on_a_disk =
        statx(AT_FDCWD, directory.c_str(), 0, STATX_TYPE, &info) == 0 && info.stx_dev_major != 0;
    EXPECT_EQ(on_local_disk(directory), on_a_disk) << directory;
  }
  EXPECT_FALSE(on_local_disk("/proc/self"));
  EXPECT_FALSE(on_local_disk("/no/such/directory"));
}

}  // namespace
}  // namespace rollcall::io
