// The key file: which files are accepted, the message for each refused one, and many pams that make it at once.
#include "common/io/key_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "tests/io/common/malformed_keys.hpp"

namespace rollcall::io {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string& kDigits = test::kKeyDigits;

class KeyFile : public testing::Test {
 protected:
  KeyFile() {
    std::string name = (fs::temp_directory_path() / "rollcall-key-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    home_ = name;
    path_ = home_ + "/key";
  }
  ~KeyFile() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  void write(const std::string& text, mode_t mode = 0600) {
    std::ofstream(path_, std::ios::binary) << text;
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }
  std::string refusal() {
    const auto key = load_key(path_);
    return key ? "" : key.error().text;
  }
  mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  std::string home_, path_;
};

TEST(KeyFilePath, EnvironmentThenLsfConfThenHome) {
  EXPECT_EQ(key_file_path("/e/key", "/c/key", "/home/u"), "/e/key");
  EXPECT_EQ(key_file_path(std::nullopt, "/c/key", "/home/u"), "/c/key");
  EXPECT_EQ(key_file_path(std::nullopt, std::nullopt, "/home/u"), "/home/u/.rollcall/key");
  EXPECT_EQ(key_file_path("", "", "/home/u"), "/home/u/.rollcall/key");
}

TEST_F(KeyFile, OfSixtyFourDigitsIsTaken) {
  write(kDigits + "\n");
  const auto key = load_key(path_);
  ASSERT_TRUE(key) << key.error().text;
  for (std::size_t i = 0; i < kKeyBytes - 1; ++i) EXPECT_EQ((*key)[i], i);
  EXPECT_EQ((*key)[31], 0xff);
}

TEST_F(KeyFile, ReadOnlyKeyIsTaken) {
  write(kDigits + "\n", 0400);
  EXPECT_EQ(refusal(), "");
}

TEST_F(KeyFile, MissingKeyIsNamed) {
  EXPECT_EQ(refusal(), "key file " + path_ + ": cannot open it: No such file or directory");
}

TEST_F(KeyFile, ThatOthersMayReadIsRefused) {
  for (const mode_t mode : {0640, 0604, 0660, 0610, 0644}) {
    write(kDigits + "\n", mode);
    EXPECT_THAT(refusal(), HasSubstr(", expected 0600 or stricter")) << mode;
  }
  write(kDigits + "\n", 0644);
  EXPECT_EQ(refusal(), "key file " + path_ + ": mode 0644, expected 0600 or stricter");
}

TEST_F(KeyFile, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  write(kDigits + "\n");
  ASSERT_EQ(chown(path_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(refusal(), "key file " + path_ + ": belongs to user 12345, expected user 0");
}

TEST_F(KeyFile, ThatIsNoPlainFileIsRefusedAtOnce) {
  test::expect_a_regular_file_is_wanted(path_, [this] { return refusal(); });
}

TEST_F(KeyFile, BehindASymbolicLinkIsRefused) {
  write(kDigits + "\n");
  const std::string link = home_ + "/link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  const auto key = load_key(link);
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().text, "key file " + link + ": is a symbolic link, expected a regular file");
  EXPECT_FALSE(load_or_create_key(link));
}

TEST_F(KeyFile, OfAnotherFormIsRefusedAndNotShown) {
  for (const auto& row : test::malformed_keys()) {
    write(row.text);
    EXPECT_EQ(refusal(),
              "key file " + path_ + ": " + row.found + ", expected 64 hexadecimal digits and a newline");
  }
}

TEST_F(KeyFile, IsMadeOnceWithItsDirectory) {
  const std::string path = key_file_path(std::nullopt, std::nullopt, home_);
  const auto made = load_or_create_key(path);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(mode_of(home_ + "/.rollcall"), 0700u);
  EXPECT_EQ(*load_or_create_key(path), *made);
  EXPECT_EQ(*load_key(path), *made);
  EXPECT_NE(*made, Key{});
}

TEST_F(KeyFile, IsReadableWhateverTheUmask) {
  const mode_t before = umask(0777);
  const auto made = load_or_create_key(path_);
  umask(before);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(mode_of(path_), 0600u);
}

TEST_F(KeyFile, InvalidKeyIsNotReplaced) {
  write("precious\n");
  EXPECT_FALSE(load_or_create_key(path_));
  std::string text;
  std::getline(std::ifstream(path_), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(KeyFile, SaysWhyItCannotBeMade) {
  const auto key = load_or_create_key(home_ + "/no/such/key");
  ASSERT_FALSE(key);
  EXPECT_EQ(
      key.error().text,
      "key file " + home_ + "/no/such/key: cannot make the directory " + home_ +
          "/no/such/: No such file or directory; set HOME to a directory of yours, or ROLLCALL_KEY_FILE to a "
          "file there");
}

// Root runs pam with a user's HOME (su, sudo): the user owns what is there, and may have put a link in its place.
TEST_F(KeyFile, OfRootIsNotMadeInAUsersHome) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be led astray";
  const std::string users = home_ + "/user";
  ASSERT_EQ(mkdir(users.c_str(), 0700), 0);
  ASSERT_EQ(chown(users.c_str(), 65534, 65534), 0);
  const auto key = load_or_create_key(users + "/.rollcall/key");
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().text, HasSubstr("directory " + users + " belongs to user 65534, expected"));
  EXPECT_FALSE(fs::exists(users + "/.rollcall"));
}

TEST_F(KeyFile, OfRootFollowsNoLink) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be led astray";
  const std::string aim = home_ + "/aim", link = home_ + "/.rollcall";
  ASSERT_EQ(mkdir(aim.c_str(), 0700), 0);
  ASSERT_EQ(symlink(aim.c_str(), link.c_str()), 0);
  const auto key = load_or_create_key(link + "/key");
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().text, HasSubstr(link + " is a symbolic link"));
  EXPECT_TRUE(fs::is_empty(aim));
}

TEST_F(KeyFile, OfRootIsNotMadeWhereOthersMayWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be led astray";
  const std::string open_one = home_ + "/open";
  ASSERT_EQ(mkdir(open_one.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_one.c_str(), 0777), 0);
  EXPECT_FALSE(load_or_create_key(open_one + "/key"));
  EXPECT_TRUE(fs::is_empty(open_one));
  ASSERT_EQ(chmod(open_one.c_str(), 01777), 0);
  EXPECT_TRUE(load_or_create_key(open_one + "/key")) << "as in /tmp, another may not replace it";
}

TEST_F(KeyFile, ManyPamsAtOnceAgreeAndLeaveNothingElse) {
  constexpr int kPams = 16;
  const std::string path = home_ + "/.rollcall/key";
  std::latch together(kPams);
  std::vector<Result<Key>> keys(kPams, Key{});
  std::vector<std::thread> pams;
  for (int i = 0; i < kPams; ++i)
    pams.emplace_back([&, i] {
      together.arrive_and_wait();
      keys[i] = load_or_create_key(path);
    });
  for (auto& pam : pams) pam.join();
  for (const auto& key : keys) {
    ASSERT_TRUE(key) << key.error().text;
    EXPECT_EQ(*key, *keys[0]);
  }
  const fs::directory_iterator files(home_ + "/.rollcall");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace rollcall::io
