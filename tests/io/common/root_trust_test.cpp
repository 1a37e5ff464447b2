// Paths as they are on this host, and programs that are executed by their descriptors.
#include "common/io/root_trust.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/io/daemon_files.hpp"
#include "common/io/name_lookup.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t kOther = 4242;

class RootTrustHere : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(top_.data()), nullptr);
    fs::create_directories(top_ + "/a/b");
    std::ofstream(top_ + "/a/b/file") << "x";
  }
  void TearDown() override { fs::remove_all(top_); }
  std::string why(const std::string& path, const RootTrust& trust) {
    const auto checked = check_trust(trust, top_ + path, "it is believed");
    return checked ? "" : checked.error().text;
  }
  std::string top_ = "/tmp/root_trust_test.XXXXXX";
};

TEST_F(RootTrustHere, StepsOfAPathFollowLinks) {
  fs::create_directory_symlink("a/./b/../b", top_ + "/relative");
  fs::create_directory_symlink(top_ + "/relative", top_ + "/absolute");
  const auto parts = path_parts(top_ + "//absolute/file");
  ASSERT_TRUE(parts);
  std::vector<std::string> paths;
  for (const auto& part : *parts) paths.push_back(part.path);
  EXPECT_EQ(paths.front(), "/");
  EXPECT_EQ(paths.back(), top_ + "/a/b/file");
  EXPECT_THAT(paths, testing::Contains(top_ + "/relative"));
  EXPECT_THAT(paths, testing::Contains(top_ + "/absolute"));
  const auto relative = path_parts("a");
  ASSERT_TRUE(relative);
  EXPECT_EQ(relative->size(), path_parts(fs::current_path().string())->size())
      << "below where we are, and not there";
  fs::create_symlink(top_ + "/loop", top_ + "/loop");
  EXPECT_FALSE(path_parts(top_ + "/loop"));
}

TEST_F(RootTrustHere, AnOwnerOrAModeOnTheWaySpoilsIt) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to give files away";
  const auto trust = read_root_trust("/there is no such file");
  ASSERT_TRUE(trust && trust->root);
  EXPECT_EQ(why("/a/b/file", *trust), "");
  ASSERT_EQ(chmod((top_ + "/a").c_str(), 0777), 0);
  EXPECT_THAT(why("/a/b/file", *trust),
              HasSubstr(top_ + "/a: may be written by others than root (mode 0777, group 0), "
                               "expected by root alone: it is believed; take"));
  ASSERT_EQ(chmod((top_ + "/a").c_str(), 0755), 0);
  ASSERT_EQ(chown((top_ + "/a").c_str(), kOther, kOther), 0);
  EXPECT_THAT(
      why("/a/b/file", *trust),
      HasSubstr(top_ + "/a: belongs to user 4242, expected root: it is believed; give it to root, or"));
  EXPECT_FALSE(open_trusted_program(*trust, top_ + "/a/b/file"));
  EXPECT_EQ(why("/a/b/file", RootTrust{}), "") << "a daemon of another user makes no check";
}

TEST_F(RootTrustHere, AFileOfRootsNamesOwnersAndItsMeaningIsTold) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to give files away";
  const std::string file = top_ + "/trusted_owners";
  std::ofstream(file) << "user 4242\ngroup 4243\n";
  ASSERT_EQ(chown((top_ + "/a").c_str(), kOther, kOther + 1), 0);
  ASSERT_EQ(chmod((top_ + "/a").c_str(), 0775), 0);
  const auto trust = read_root_trust(file);
  ASSERT_TRUE(trust) << trust.error().text;
  EXPECT_EQ(why("/a/b/file", *trust), "");
  ASSERT_EQ(trust->notes.size(), 2u);
  EXPECT_THAT(trust->notes[0], HasSubstr("trusts user 4242: whoever can act as this user"));
  ASSERT_EQ(chown(file.c_str(), kOther, 0), 0);
  const auto others = read_root_trust(file);
  ASSERT_FALSE(others);
  EXPECT_THAT(others.error().text,
              HasSubstr(file + ": belongs to user 4242, expected root: it says whom root trusts"));
  ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
  std::ofstream(file) << "user nobody-has-this-name\n";
  EXPECT_FALSE(read_root_trust(file));
}

// ckconfig asks the same as a daemon at its start, and getent in place of getpwnam().
TEST_F(RootTrustHere, EveryOwnerAndModeThatADaemonRefusesIsListedOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to give files away";
  conf::LoadSettings settings;
  settings.env_dir = settings.conf_dir = top_ + "/a";
  settings.cluster = "lab";
  settings.key_file = top_ + "/a/cluster.key";
  const std::vector<NamedPath> more{{top_ + "/a/b/file", "lsb.queues"}, {top_ + "/a/b", "LSB_CONFDIR"}};
  EXPECT_THAT(refused_files(settings, more), testing::IsEmpty());
  ASSERT_TRUE(check_daemon_trust(settings, more));
  ASSERT_EQ(chmod((top_ + "/a/b/file").c_str(), 0666), 0);
  std::ofstream(top_ + "/a/lsf.conf") << "x";
  ASSERT_EQ(chown((top_ + "/a/lsf.conf").c_str(), kOther, kOther), 0);
  const auto lines = refused_files(settings, more);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(
      lines[0],
      HasSubstr(top_ + "/a/lsf.conf: belongs to user 4242, expected root: root believes it (lsf.conf)"));
  EXPECT_THAT(lines[1], HasSubstr(top_ + "/a/b/file: may be written by others than root (mode 0666"));
  const auto refused = check_daemon_trust(settings, more);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, lines[0]);
  ASSERT_EQ(chmod((top_ + "/a").c_str(), 0777), 0);
  EXPECT_EQ(refused_files(settings, more).size(), 1u) << "a directory on the way to all of them";
  std::ofstream(settings.key_file) << "x";
  ASSERT_EQ(chown(settings.key_file.c_str(), kOther, kOther), 0);
  EXPECT_THAT(refused_files(settings, more), testing::IsEmpty()) << "a cluster of another user's";
}

TEST_F(RootTrustHere, NamesOfOwnersAreLookedUpByGetentToo) {
  EXPECT_EQ(look_up_uid("root"), 0u);
  EXPECT_EQ(look_up_gid("root"), 0u);
  EXPECT_EQ(look_up_uid("nobody-has-this-name"), std::nullopt);
  EXPECT_EQ(look_up_gid("nobody-has-this-name"), std::nullopt);
}

TEST_F(RootTrustHere, ExecutesTheFileThatWasChecked) {
  const std::string program = top_ + "/program";
  fs::copy_file("/bin/true", program);
  const auto checked = open_trusted_program({}, program);
  ASSERT_TRUE(checked) << checked.error().text;
  fs::rename(program, top_ + "/moved");
  fs::copy_file("/bin/false", program);
  SpawnPlan plan;
  plan.argv = {program};
  plan.program = checked->get();
  plan.descriptors = {{STDERR_FILENO, checked->get()}};  // its number may be wanted by the child
  const auto started = spawn(plan);
  ASSERT_TRUE(std::holds_alternative<pid_t>(started));
  int status = -1;
  waitpid(std::get<pid_t>(started), &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(open_trusted_program({}, top_ + "/none"));
  EXPECT_FALSE(open_trusted_program({}, top_));
}

}  // namespace
}  // namespace rollcall::io
