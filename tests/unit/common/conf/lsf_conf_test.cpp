// lsf.conf: what is read, and how broken lines are named.
#include "common/conf/lsf_conf.hpp"

#include <gtest/gtest.h>

namespace rollcall::conf {
namespace {

std::string value(const std::string& text, const std::string& name = "A") {
  const auto conf = LsfConf::parse(text, "f");
  return conf ? conf->value(name) : conf.error().text;
}

TEST(LsfConf, NamesAndValuesAreTrimmed) {
  EXPECT_EQ(value("A=b\n"), "b");
  EXPECT_EQ(value("A=b"), "b") << "no newline at the end";
  EXPECT_EQ(value("  A \t=  b c \t\n"), "b c");
  EXPECT_EQ(value("A=b=c"), "b=c");
  EXPECT_EQ(value("A="), "");
  EXPECT_EQ(value("A=1\nA=2"), "2") << "the last one counts";
  EXPECT_EQ(value("_A9=x", "_A9"), "x");
  EXPECT_EQ(value("\xef\xbb\xbf"
                  "A=b"),
            "b")
      << "a UTF-8 mark";
  EXPECT_EQ(value("A=\xc3\xa4"), "\xc3\xa4");
}

TEST(LsfConf, CommentsAndEmptyLinesAreSkipped) {
  EXPECT_EQ(value("# A=1\n\n   \n  # x\nA=b # c\n"), "b");
  EXPECT_EQ(value("A=b#c"), "b#c") << "a comment needs a blank before it";
  EXPECT_EQ(value("A=#c"), "");
  EXPECT_EQ(value("A=\"b # c\" # d"), "b # c");
  EXPECT_EQ(value("# a comment is not joined \\\nA=b"), "b");
}

TEST(LsfConf, QuotesAroundAValueAreTakenOff) {
  EXPECT_EQ(value("A=\"b c\""), "b c");
  EXPECT_EQ(value("A=' b '"), " b ");
  EXPECT_EQ(value("A=\"\""), "");
  EXPECT_EQ(value("A=\"it's\""), "it's");
  EXPECT_EQ(value("A=b \"c\""), "b \"c\"") << "a quote inside words is a byte";
}

TEST(LsfConf, LinesMayEndInCrLfOrContinue) {
  EXPECT_EQ(value("A=b\r\nB=c\r\n"), "b");
  EXPECT_EQ(value("A=b\r\nB=c\r\n", "B"), "c");
  EXPECT_EQ(value("A=b \\\n  c\nB=d"), "b   c");
  EXPECT_EQ(value("A=\"b\\\r\nc\"\r\n"), "bc");
  EXPECT_EQ(value("A=b\\"), "b") << "no line to join";
  EXPECT_EQ(value("A\\\n=b"), "b");
}

TEST(LsfConf, BrokenLinesAreNamed) {
  EXPECT_EQ(value("A"), "f:1: found the end of the line, expected '=' after A");
  EXPECT_EQ(value("\nA b\n"), "f:2: found \"b\", expected '=' after A");
  EXPECT_EQ(value("A-B=c"), "f:1: found \"-B=c\", expected '=' after A");
  EXPECT_EQ(value("=b"), "f:1: found \"=b\", expected NAME=VALUE, a comment or an empty line");
  EXPECT_EQ(value("9A=b"), "f:1: found \"9A=b\", expected NAME=VALUE, a comment or an empty line");
  EXPECT_EQ(value("A=\"b"), "f:1: found \"\\x22b\", expected a closing quote on the same line");
  EXPECT_EQ(value("A='b' c"), "f:1: found \"c\", expected nothing after the closing quote");
  EXPECT_EQ(value("A='b'#c"), "f:1: found \"#c\", expected nothing after the closing quote");
  EXPECT_EQ(value(std::string("A=b\0c", 5)),
            "f:1: found \"A=b\\x00c\", expected a line of text without NUL bytes");
}

TEST(LsfConf, FurtherBrokenLinesAreNamedByTheirNumbers) {
  const auto text = [](const std::string& conf) { return LsfConf::parse(conf, "lsf.conf").error().text; };
  EXPECT_EQ(LsfConf::parse("x", "f").error().kind, ErrorKind::configuration);
  EXPECT_EQ(text("A=1\nB\\\n\\\n!\nC=3\n[x]\n"),
            "lsf.conf:2: found \"!\", expected '=' after B; broken too: line 6");
  EXPECT_EQ(text("a\nb\nc\nd\ne\nf\ng\nh\n"),
            "lsf.conf:1: found the end of the line, expected '=' after a; broken too: lines 2, 3, 4, 5, 6 "
            "and 2 more");
}

TEST(LsfConf, ASettingKnowsItsPlace) {
  const auto conf = LsfConf::parse("\n\nA=1\nE=\n", "/etc/lsf.conf");
  ASSERT_TRUE(conf->find("A"));
  EXPECT_EQ(conf->find("A")->where, "/etc/lsf.conf:3");
  EXPECT_EQ(conf->find("E"), nullptr) << "set to an empty value";
  EXPECT_EQ(conf->find("Z"), nullptr);
}

TEST(LsfConf, PrintedValueReadsBack) {
  for (const char* text : {"A=b c", "A=' b\"'", "A=it's", "A=it's \"so\"", "A=it's \"so\"\\\\"}) {
    const auto conf = LsfConf::parse(text, "f");
    EXPECT_EQ(value(conf->text() + "B=1\n"), conf->value("A")) << text;
  }
}

TEST(LsfConf, LongBrokenLinesMakeShortErrors) { EXPECT_LT(value(std::string(1 << 20, '!')).size(), 200u); }

}  // namespace
}  // namespace rollcall::conf
