// Words quoted for a shell, and numbers as people write them.
#include "common/base/shell_quote.hpp"

#include <gtest/gtest.h>

#include "common/base/numbers.hpp"

namespace rollcall {
namespace {

TEST(ShellQuote, PlainWordsStayAsTheyAre) {
  for (const char* word : {"mpirun", "-np", "/a/b-c_d.e", "n1:1,n2:2", "--mca=x", "50%", "+x", "user@host"})
    EXPECT_EQ(shell_quote(word), word);
}

TEST(ShellQuote, AllElseIsQuoted) {
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("'"), "''\\'''");
  EXPECT_EQ(shell_quote("a\nb"), "'a\nb'");
  EXPECT_EQ(shell_quote("A=1"), "'A=1'") << "else it would be an assignment";
  for (const char* word : {"$x", "`x`", "~", "*", "?", "[a]", "a;b", "a&b", "a|b", "<", ">", "(", "{a,b}",
                           "#", "!", "\\", "\"", "\xff"})
    EXPECT_EQ(shell_quote(word), "'" + std::string(word) + "'");
  EXPECT_EQ(shell_join({"a", "", "b c"}), "a '' 'b c'");
  EXPECT_EQ(shell_join({}), "");
}

TEST(Numbers, ReadsWholeNumbersInARange) {
  EXPECT_EQ(parse_whole("0", 0, 5), 0);
  EXPECT_EQ(parse_whole("005", 0, 5), 5);
  for (const char* bad : {"", "6", "-1", "+1", " 1", "1 ", "1.0", "x", "99999999999999999999999"})
    EXPECT_EQ(parse_whole(bad, 0, 5), std::nullopt) << bad;
  EXPECT_EQ(parse_whole("0", 1, 5), std::nullopt);
}

TEST(Numbers, ReadsSeconds) {
  using namespace std::chrono_literals;
  EXPECT_EQ(parse_seconds("0"), 0s);
  EXPECT_EQ(parse_seconds("300"), 300s);
  EXPECT_EQ(parse_seconds("0.5"), 500ms);
  EXPECT_EQ(parse_seconds("1.000000001"), 1s + 1ns);
  EXPECT_EQ(parse_seconds("1000000000"), 1000000000s);
  for (const char* bad : {"", ".", "1.", ".5", "-1", "1e3", "1.0000000001", "1000000001", "1s", "0.-5"})
    EXPECT_EQ(parse_seconds(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace rollcall
