// The cluster's key: which files are accepted, the message for each refused one, and that it is made once and whole.
#include "common/io/cluster_key.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/io/common/cluster_ends.hpp"
#include "tests/io/common/malformed_keys.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string& kDigits = test::kKeyDigits;

class ClusterKeyFile : public testing::Test {
 protected:
  ClusterKeyFile() {
    std::string name = (fs::temp_directory_path() / "rollcall-cluster-key-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    home_ = name;
    path_ = home_ + "/cluster.key";
    public_ = path_ + ".pub";
  }
  ~ClusterKeyFile() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  static void write(const std::string& path, const std::string& text, mode_t mode) {
    std::ofstream(path, std::ios::binary) << text;
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::string key_refusal() const {
    const auto key = load_cluster_key(path_);
    return key ? "" : key.error().text;
  }
  std::string public_refusal() const {
    const auto key = load_cluster_public_key(public_);
    return key ? "" : key.error().text;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  int files() const {
    const fs::directory_iterator all(home_);
    return static_cast<int>(std::distance(begin(all), end(all)));
  }

  std::string home_, path_, public_;
};

TEST_F(ClusterKeyFile, IsMadeOnceWithItsPublicHalf) {
  ASSERT_TRUE(create_cluster_key(path_));
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_EQ(mode_of(public_), 0644u);
  EXPECT_EQ(files(), 2);
  const auto key = load_cluster_key(path_);
  ASSERT_TRUE(key) << key.error().text;
  EXPECT_EQ(key->public_half, *load_cluster_public_key(public_));
  EXPECT_NE(key->secret, Seed{});
  EXPECT_TRUE(check_cluster_key(path_));

  const std::string before = text_of(path_);
  const auto again = create_cluster_key(path_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().text, "cluster key " + path_ + ": is there, expected none");
  EXPECT_EQ(text_of(path_), before);
}

TEST_F(ClusterKeyFile, TwoClustersNeverHaveTheSameOne) {
  ASSERT_TRUE(create_cluster_key(path_));
  ASSERT_TRUE(create_cluster_key(home_ + "/other"));
  EXPECT_NE(text_of(path_), text_of(home_ + "/other"));
}

TEST_F(ClusterKeyFile, ThePublicHalfSaysNothingOfTheSecret) {
  ASSERT_TRUE(create_cluster_key(path_));
  const auto key = load_cluster_key(path_);
  ASSERT_TRUE(key);
  EXPECT_NE(key->secret, key->public_half);
  EXPECT_NE(cluster::exchange_scalar(key->secret), key->secret);
  EXPECT_NE(cluster::proof_key(key->secret), cluster::exchange_scalar(key->secret));
}

TEST_F(ClusterKeyFile, HasItsModesWhateverTheUmask) {
  const mode_t before = umask(0777);
  const auto made = create_cluster_key(path_);
  umask(before);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(mode_of(path_), 0600u);
  EXPECT_EQ(mode_of(public_), 0644u);
  const mode_t open_to_all = umask(0);
  ASSERT_TRUE(create_cluster_key(home_ + "/other"));
  umask(open_to_all);
  EXPECT_EQ(mode_of(home_ + "/other"), 0600u);
}

TEST_F(ClusterKeyFile, IsNotMadeOverAnything) {
  ASSERT_EQ(symlink("/nowhere", path_.c_str()), 0);
  EXPECT_FALSE(create_cluster_key(path_));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  write(public_, "precious\n", 0644);
  const auto made = create_cluster_key(path_);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text, "cluster public key " + public_ + ": is there without its key, expected none");
  EXPECT_EQ(text_of(public_), "precious\n");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ClusterKeyFile, SaysWhyItCannotBeMadeAndLeavesNoFile) {
  const std::string path = home_ + "/no/such/key";
  const auto made = create_cluster_key(path);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text,
            "cluster key " + path + ": cannot open its directory: No such file or directory");
}

TEST_F(ClusterKeyFile, ManyAtOnceMakeItOnce) {
  constexpr int kMakers = 16;
  std::latch together(kMakers);
  std::atomic<int> made = 0;
  std::vector<std::thread> makers;
  for (int i = 0; i < kMakers; ++i)
    makers.emplace_back([&] {
      together.arrive_and_wait();
      if (create_cluster_key(path_)) ++made;
    });
  for (auto& maker : makers) maker.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(files(), 2);
  EXPECT_TRUE(check_cluster_key(path_));
}

TEST_F(ClusterKeyFile, WhosePublicHalfIsMissingCanBeCompleted) {
  ASSERT_TRUE(create_cluster_key(path_));
  const std::string half = text_of(public_);
  ASSERT_EQ(unlink(public_.c_str()), 0);
  EXPECT_FALSE(check_cluster_key(path_));
  ASSERT_TRUE(complete_cluster_key(path_));
  EXPECT_EQ(text_of(public_), half);
  EXPECT_TRUE(complete_cluster_key(path_));
}

TEST_F(ClusterKeyFile, WhosePublicHalfIsOfAnotherKeyIsFoundOut) {
  ASSERT_TRUE(create_cluster_key(path_));
  ASSERT_TRUE(create_cluster_key(home_ + "/other"));
  fs::rename(home_ + "/other.pub", public_);
  const auto checked = check_cluster_key(path_);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().text,
            "cluster public key " + public_ + ": is of another key, expected the public half of " + path_);
}

TEST_F(ClusterKeyFile, OfSixtyFourDigitsIsTaken) {
  for (const mode_t mode : {0600, 0400}) {
    write(path_, kDigits + "\n", mode);
    const auto key = load_cluster_key(path_);
    ASSERT_TRUE(key) << key.error().text;
    for (std::size_t i = 0; i < 31; ++i) EXPECT_EQ(key->secret[i], i);
    EXPECT_EQ(key->secret[31], 0xff);
    chmod(path_.c_str(), 0600);
  }
}

TEST_F(ClusterKeyFile, ThatOthersMayReadOrWriteIsRefused) {
  for (const mode_t mode : {0640, 0604, 0660, 0610, 0602, 0644}) {
    write(path_, kDigits + "\n", mode);
    EXPECT_THAT(key_refusal(), HasSubstr(", expected 0600 or stricter")) << mode;
  }
  EXPECT_EQ(key_refusal(), "cluster key " + path_ + ": mode 0644, expected 0600 or stricter");
}

TEST_F(ClusterKeyFile, WhosePublicHalfOthersMayWriteIsRefused) {
  for (const mode_t mode : {0664, 0646, 0666}) {
    write(public_, kDigits + "\n", mode);
    EXPECT_THAT(public_refusal(), HasSubstr(", expected one that its owner alone may write, 0644")) << mode;
  }
  write(public_, kDigits + "\n", 0644);
  EXPECT_EQ(public_refusal(), "");
}

TEST_F(ClusterKeyFile, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  write(path_, kDigits + "\n", 0600);
  write(public_, kDigits + "\n", 0644);
  ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
  ASSERT_EQ(chown(public_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(key_refusal(), "cluster key " + path_ + ": belongs to user 12345, expected user 0");
  EXPECT_EQ(public_refusal(),
            "cluster public key " + public_ +
                ": belongs to user 12345, expected root or the owner of its directory, user 0");
  // The owner of the directory owns the cluster; root may act for that user.
  ASSERT_EQ(chown(home_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(key_refusal(), "");
  EXPECT_EQ(public_refusal(), "");
}

// As another user than root, in a child of ours: no key but the own one.
TEST_F(ClusterKeyFile, OfRootIsNoUsersKey) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  ASSERT_TRUE(create_cluster_key(path_));
  ASSERT_EQ(chmod(home_.c_str(), 0755), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(12345) != 0 || setuid(12345) != 0) _exit(3);
    const bool key = static_cast<bool>(load_cluster_key(path_));
    const bool half = static_cast<bool>(load_cluster_public_key(public_));
    _exit(key ? 1 : half ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: read root's key; 2: could not read the public half";
}

TEST_F(ClusterKeyFile, ThatIsNoPlainFileIsRefusedAtOnce) {
  test::expect_a_regular_file_is_wanted(path_, [this] { return key_refusal(); });
  write(home_ + "/real", kDigits + "\n", 0600);
  ASSERT_EQ(symlink((home_ + "/real").c_str(), path_.c_str()), 0);
  EXPECT_EQ(key_refusal(), "cluster key " + path_ + ": is a symbolic link, expected a regular file");
}

TEST_F(ClusterKeyFile, OfAnotherFormIsRefusedAndNotShown) {
  for (const auto& row : test::malformed_keys()) {
    write(path_, row.text, 0600);
    EXPECT_EQ(key_refusal(),
              "cluster key " + path_ + ": " + row.found + ", expected 64 hexadecimal digits and a newline");
    EXPECT_THAT(key_refusal(), Not(HasSubstr("0001020304")));
  }
}

// One key that is the same at many sites is no secret: that of the documentation, or one typed in haste.
TEST_F(ClusterKeyFile, ThatSomebodyMadeUpIsRefused) {
  const std::string examples[] = {std::string(64, '0'), std::string(64, 'f'),
                                  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                                  "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                                  "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0efeeedecebeae9e8e7e6e5e4e3e2e1e0"};
  for (const auto& digits : examples) {
    write(path_, digits + "\n", 0600);
    EXPECT_EQ(key_refusal(), "cluster key " + path_ +
                                 ": is an example, expected a random key, as lsf_daemons makes it");
  }
}

TEST_F(ClusterKeyFile, MissingKeyIsNamed) {
  EXPECT_EQ(key_refusal(), "cluster key " + path_ + ": cannot open it: No such file or directory");
  EXPECT_EQ(public_refusal(),
            "cluster public key " + public_ + ": cannot open it: No such file or directory");
}

}  // namespace
}  // namespace rollcall::io
