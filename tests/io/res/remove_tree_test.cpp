// Trees that are removed: as deep as they are, with few descriptors and little stack.
#include "common/io/remove_tree.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;

class RemoveTree : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(top_.data()), nullptr);
    directory_ = Descriptor(open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { remove_tree_at(AT_FDCWD, top_); }

  // `levels` directories below each other, each with a file.
  void nest(const std::string& name, int levels) {
    Descriptor at(openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string next = name;
    for (int i = 0; i < levels; ++i) {
      ASSERT_EQ(mkdirat(at.get(), next.c_str(), 0755), 0) << i;
      at = Descriptor(openat(at.get(), next.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      ASSERT_TRUE(at);
      close(openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      next = "a directory with a name that is neither short nor long";
    }
  }
  bool there(const std::string& name) const {
    return faccessat(directory_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  }

  std::string top_ = "/tmp/remove_tree_test.XXXXXX";
  Descriptor directory_;
};

struct Removal {
  int directory;
  bool removed = false;
};

TEST_F(RemoveTree, RemovesFiveThousandLevelsOnASmallStackWithFewDescriptors) {
  nest("deep", 5000);
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{static_cast<rlim_t>(directory_.get()) + 10, before.rlim_max};
  Removal removal{directory_.get()};
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &small,
                [](void* given) -> void* {
                  auto& wanted = *static_cast<Removal*>(given);
                  wanted.removed = remove_tree_at(wanted.directory, "deep");
                  return nullptr;
                },
                &removal),
            0);
  setrlimit(RLIMIT_NOFILE, &few);
  pthread_join(thread, nullptr);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(removal.removed);
  EXPECT_FALSE(there("deep"));
}

TEST_F(RemoveTree, RemovesMoreDirectoriesThanItRemembersAtATime) {
  for (int i = 0; i < 1500; ++i) fs::create_directories(top_ + "/wide/" + std::to_string(i));
  EXPECT_TRUE(remove_tree_at(directory_.get(), "wide"));
  EXPECT_FALSE(there("wide"));
}

TEST_F(RemoveTree, RemovesLinksAndWhatIsNoDirectory) {
  fs::create_directories(top_ + "/kept/below");
  fs::create_directories(top_ + "/gone");
  fs::create_directory_symlink(top_ + "/kept", top_ + "/gone/link");
  fs::create_symlink("nowhere", top_ + "/gone/broken");
  ASSERT_EQ(mkfifo((top_ + "/gone/fifo").c_str(), 0600), 0);
  EXPECT_TRUE(remove_tree_at(directory_.get(), "gone"));
  EXPECT_FALSE(there("gone"));
  EXPECT_TRUE(there("kept/below"));
  fs::create_directory_symlink(top_ + "/kept", top_ + "/link");
  EXPECT_TRUE(remove_tree_at(directory_.get(), "link"));
  EXPECT_TRUE(there("kept/below"));
  EXPECT_TRUE(remove_tree_at(directory_.get(), "never there"));
}

}  // namespace
}  // namespace rollcall::io
