// The callback as one word: printed and read back.
#include "common/base/callback_word.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace rollcall {
namespace {

TEST(CallbackWord, ReadsAsItWasMade) {
  const CallbackWords words{{'p', "n1,10.77.0.1:42740"}, {'c', "/opt/lsf/conf"}, {'a', "LINUX86"}};
  EXPECT_EQ(join_callback(words), "pam:n1,10.77.0.1:42740@c:/opt/lsf/conf@a:LINUX86");
  EXPECT_EQ(split_callback(join_callback(words)), words);
  EXPECT_EQ(split_callback("pam:"), (CallbackWords{{'p', ""}}));
}

TEST(CallbackWord, CarriesEveryByteAsOneWordOfAnyShell) {
  CallbackWords words{{'p', "h:1"}, {'k', ""}};
  for (int byte = 1; byte < 256; ++byte) words[1].second += static_cast<char>(byte);
  const std::string word = join_callback(words);
  EXPECT_EQ(split_callback(word), words);
  for (const char c : std::string_view(" \t\n'\"\\$`*?[]{}()<>|&;!#~^"))
    EXPECT_EQ(word.find(c), std::string::npos) << "a shell takes " << c << " for its own";
}

TEST(CallbackWord, RejectsEveryOtherWord) {
  for (const char* other : {"", "pam", "app", "-p", "/bin/pam:x", "PAM:h:1"}) {
    EXPECT_FALSE(is_callback_word(other)) << other;
    EXPECT_FALSE(split_callback(other)) << other;
  }
  for (const char* broken :
       {"pam:h:1@", "pam:h:1@c", "pam:h:1@1:x", "pam:h:1@c=x", "pam:%", "pam:%4", "pam:%4x", "pam:a b"}) {
    EXPECT_TRUE(is_callback_word(broken)) << broken;
    EXPECT_FALSE(split_callback(broken)) << broken;
  }
}

}  // namespace
}  // namespace rollcall
