// Control characters: which they are, and what is printed instead (terminal_text.hpp).
#include "common/base/terminal_text.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

std::string line(std::string_view text) { return terminal_text(text, Controls::none); }
std::string table(std::string_view text) { return terminal_text(text, Controls::newline_and_tab); }

TEST(TerminalText, KeepsOrdinaryTextByteForByte) {
  for (const std::string text :
       {"", "job 1 <a b>", "größe", "日本語", "\xf0\x9f\x98\x80", "price \xe2\x82\xac", "caf\xe9 in Latin-1",
        "no\xc2\xa0"
        "break"}) {
    EXPECT_EQ(line(text), text);
    EXPECT_EQ(find_control(text, Controls::none), std::string_view::npos) << text;
  }
  EXPECT_EQ(table("a\tb\nc\n"), "a\tb\nc\n");
}

TEST(TerminalText, ReplacesEveryControlOfC0AndDel) {
  for (int c = 0; c < 0x20; ++c) {
    const std::string text = std::string("a") + static_cast<char>(c) + "b";
    const bool blank = c == '\n' || c == '\t';
    EXPECT_EQ(line(text), blank ? "a b" : "a?b") << c;
    EXPECT_EQ(table(text), blank ? text : "a?b") << c;
    EXPECT_EQ(find_control(text, Controls::none), 1U) << c;
  }
  EXPECT_EQ(line("a\x7f"
                 "b"),
            "a?b");
}

TEST(TerminalText, ReplacesEveryControlOfC1AsOneByteAndAsUtf8) {
  for (int c = 0x80; c < 0xa0; ++c) {
    EXPECT_EQ(line(std::string("a") + static_cast<char>(c) + "b"), "a?b") << c;
    EXPECT_EQ(line(std::string("a\xc2") + static_cast<char>(c) + "b"), "a?b") << c;
    EXPECT_EQ(table(std::string("a\xc2") + static_cast<char>(c) + "b"), "a?b") << c;
  }
  EXPECT_EQ(line("\xc2\x9b"
                 "31mred"),
            "?31mred");
  EXPECT_EQ(find_control("ab\xc2\x9b", Controls::newline_and_tab), 2U);
}

// In UTF-8 many characters contain the byte 0x9b; there it is no control character.
TEST(TerminalText, KeepsC1BytesInsideCharacters) {
  EXPECT_EQ(line("\xc4\x9b\xe2\x80\x9b\xf0\x9f\x9b\x9b"), "\xc4\x9b\xe2\x80\x9b\xf0\x9f\x9b\x9b");
  EXPECT_EQ(line("cut \xe2\x80"), "cut \xe2?");
  EXPECT_EQ(line("\xe2\x1b[0m"), "\xe2?[0m");
}

}  // namespace
}  // namespace rollcall
