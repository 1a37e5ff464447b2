// Files that are no key, for the tests of key files: what each holds, and what is said of it.
#pragma once

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace rollcall::io::test {

inline const std::string kKeyDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFf";

struct MalformedKey {
  std::string text, found;
};

inline std::vector<MalformedKey> malformed_keys() {
  return {
      {"", "0 bytes"},
      {kKeyDigits, "64 bytes"},
      {kKeyDigits + "\r\n", "over 65 bytes"},
      {kKeyDigits + "\n\n", "over 65 bytes"},
      {" " + kKeyDigits.substr(1) + "\n", "character 1 is no hexadecimal digit"},
      {kKeyDigits.substr(0, 63) + "g\n", "character 64 is no hexadecimal digit"},
      {kKeyDigits + "0", "no newline at its end"},
      {std::string(1 << 20, 'a'), "over 65 bytes"},
  };
}

// `refusal` tells what is said of the file at `path`. Nothing is there afterwards.
template <class Refusal>
void expect_a_regular_file_is_wanted(const std::string& path, const Refusal& refusal) {
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  EXPECT_THAT(refusal(), testing::HasSubstr("is a directory, expected a regular file"));
  ASSERT_EQ(rmdir(path.c_str()), 0);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), testing::HasSubstr("is a FIFO, expected a regular file"));
  ASSERT_EQ(unlink(path.c_str()), 0);
}

}  // namespace rollcall::io::test
