// The grammar of section files: what real files contain, and how broken lines are named.
#include "common/conf/section_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Parsed {
  SectionFile file;
  std::vector<std::string> said;

  // Every row as "KEYWORD=value|KEYWORD=value".
  std::vector<std::string> rows(const std::string& section = "Host") const {
    std::vector<std::string> rows;
    for (const Section* one : file.all(section))
      for (const Row& row : one->rows) {
        std::string text;
        for (const auto& [keyword, cell] : row.cells())
          text += (text.empty() ? "" : "|") + keyword + "=" + cell.text;
        rows.push_back(text);
      }
    return rows;
  }
};

SectionSyntax syntax_of(const MemoryFiles& files) {
  SectionSyntax syntax;
  syntax.default_keywords = {{"ResourceMap", {"RESOURCENAME", "LOCATION"}}};
  syntax.line_sections = {"RemoteTasks"};
  syntax.include = files.sources().read;
  syntax.time = files.sources().time;
  return syntax;
}

Parsed parse(const std::string& text, const MemoryFiles& files = {}) {
  Problems problems;
  Parsed parsed;
  parsed.file = parse_sections(text, "/c/f", syntax_of(files), problems);
  parsed.said = lines_of(problems);
  return parsed;
}

// Each of these texts gives the same rows, and no problem.
TEST(SectionFile, LineEndsBlanksAndCaseDoNotMatter) {
  const std::vector<std::pair<const char*, std::string>> same{
      {"plain", "Begin Host\nHOSTNAME type RESOURCES\na ! (x y)\nb - ()\nEnd Host\n"},
      {"no newline at the end", "Begin Host\nHOSTNAME type RESOURCES\na ! (x y)\nb - ()\nEnd Host"},
      {"CRLF", "Begin Host\r\nHOSTNAME type RESOURCES\r\na ! (x y)\r\nb - ()\r\nEnd Host\r\n"},
      {"tabs", "Begin\tHost\nHOSTNAME\ttype\tRESOURCES\n\ta\t!\t(x y)\nb\t-\t()\nEnd\tHost\n"},
      {"many blanks",
       "Begin   Host  \n  HOSTNAME   type   RESOURCES  \n a ! (x y)  \n b   -  ()\nEnd     Host\n"},
      {"any case of Begin and End", "BEGIN hOST\nHOSTNAME type RESOURCES\na ! (x y)\nb - ()\neND host\n"},
      {"a plural at the end", "Begin Host\nHOSTNAME type RESOURCES\na ! (x y)\nb - ()\nEnd Hosts\n"},
      {"comments",
       "# a\nBegin Host # b\nHOSTNAME type RESOURCES # Keywords\n#c\n  # d\na ! (x y) # e\nb - ()#f\nEnd "
       "Host #g\n"},
      {"empty lines", "\n\nBegin Host\n\nHOSTNAME type RESOURCES\n \na ! (x y)\n\nb - ()\n\nEnd Host\n\n"},
      {"a commented-out row", "Begin Host\nHOSTNAME type RESOURCES\n#z ! ()\na ! (x y)\nb - ()\nEnd Host\n"},
      {"a joined line", "Begin Host\nHOSTNAME type \\\n RESOURCES\na ! \\\n(x y)\nb - ()\nEnd Host\n"},
      {"a joined line with a blank after the backslash",
       "Begin Host\nHOSTNAME type RESOURCES\na ! \\ \n(x y)\nb - ()\nEnd Host\n"},
      {"a joined line with CRLF",
       "Begin Host\r\nHOSTNAME type RESOURCES\r\na ! \\\r\n(x y)\r\nb - ()\r\nEnd Host\r\n"},
      {"a comment between joined lines",
       "Begin Host\nHOSTNAME type RESOURCES\na ! \\\n# no \\\n(x y)\nb - ()\nEnd Host\n"},
      {"a UTF-8 mark",
       "\xef\xbb\xbf"
       "Begin Host\nHOSTNAME type RESOURCES\na ! (x y)\nb - ()\nEnd Host\n"},
      {"a comment is not joined",
       "Begin Host\nHOSTNAME type RESOURCES # x \\\na ! (x y) # y \\\nb - ()\nEnd Host\n"},
  };
  for (const auto& [what, text] : same) {
    const auto parsed = parse(text);
    EXPECT_THAT(parsed.rows(),
                ElementsAre("HOSTNAME=a|type=!|RESOURCES=(x y)", "HOSTNAME=b|type=-|RESOURCES=()"))
        << what;
    EXPECT_THAT(parsed.said, IsEmpty()) << what;
  }
}

TEST(SectionFile, HorizontalSectionsAreRows) {
  const auto parsed = parse(
      "Begin Host\nHOSTNAME=a\ntype = !\nRES_SELECT=type==LINUX\nDESCRIPTION = For \"jobs # 1\" # no\nUSERS "
      "=\nEnd Host\n"
      "begin host\n A B = c\nEnd host\n");
  EXPECT_EQ(parsed.rows().at(0),
            "HOSTNAME=a|type=!|RES_SELECT=type==LINUX|DESCRIPTION=For \"jobs # 1\"|USERS=");
  EXPECT_THAT(parsed.said,
              ElementsAre("/c/f:9: found \"A B = c\", expected a line of keywords or KEYWORD = VALUE"));
}

TEST(SectionFile, AKeywordTwiceInAHorizontalSectionTheLastCounts) {
  const auto parsed = parse("Begin Host\nA = 1\nB = 2\na = 3\nEnd Host\n");
  EXPECT_THAT(parsed.rows(), ElementsAre("B=2|a=3"));
  EXPECT_THAT(parsed.said, ElementsAre("/c/f:2: warning: a: found \"1\", expected a once; line 4 counts"));
  EXPECT_THAT(parse("Begin Host\nA = 1\nA = 1\nEnd Host\n").said, IsEmpty()) << "the same value";
}

TEST(SectionFile, CellsMayBeQuotedOrInParentheses) {
  const auto parsed =
      parse("Begin Host\nA B\n(x (y) z) \"p q\"\n[a b] 2@[c d]\n(-) (Don't (panic))\na [x] y\nEnd Host\n");
  EXPECT_THAT(parsed.rows(),
              ElementsAre("A=(x (y) z)|B=\"p q\"", "A=[a b]|B=2@[c d]", "A=(-)|B=(Don't (panic))"));
  EXPECT_THAT(parsed.said, ElementsAre("/c/f:6: found 3 values, expected 2: A B"));
  Cell cell{"( x  y )", {}};
  EXPECT_THAT(cell.words(), ElementsAre("x", "y"));
  EXPECT_THAT((Cell{"(x) (y)", {}}).words(), ElementsAre("(x)", "(y)"));
  for (const char* text : {"", "-", "()", "( )"}) EXPECT_TRUE((Cell{text, {}}).is_default()) << text;
  for (const char* text : {"0", "(-)", "!", "--"}) EXPECT_FALSE((Cell{text, {}}).is_default()) << text;
}

TEST(SectionFile, InstancesWithoutParenthesesAreOneCell) {
  const auto parsed =
      parse("Begin ResourceMap\nRESOURCENAME LOCATION\nx 2@[a b] 4@[others]\ny [default]\nEnd ResourceMap\n");
  EXPECT_THAT(parsed.rows("ResourceMap"),
              ElementsAre("RESOURCENAME=x|LOCATION=2@[a b] 4@[others]", "RESOURCENAME=y|LOCATION=[default]"));
  EXPECT_THAT(parsed.said, IsEmpty());
}

TEST(SectionFile, AMissingKeywordLineIsTakenForTheDefaultOne) {
  const auto parsed =
      parse("Begin ResourceMap\n# RESOURCENAME LOCATION\nx [default]\ny [all]\nEnd ResourceMap\n");
  EXPECT_THAT(parsed.rows("ResourceMap"),
              ElementsAre("RESOURCENAME=x|LOCATION=[default]", "RESOURCENAME=y|LOCATION=[all]"));
  EXPECT_THAT(parsed.said,
              ElementsAre("/c/f:3: warning: found no line of keywords, expected one; taken for it: "
                          "RESOURCENAME LOCATION"));
}

TEST(SectionFile, SectionsOfPlainLinesAreRead) {
  const auto parsed =
      parse("Begin RemoteTasks\ncc\ntroff/\"type==any order[cpu]\"\n+ls # x\nEnd RemoteTasks\n");
  EXPECT_THAT(parsed.rows("RemoteTasks"), ElementsAre("=cc", "=troff/\"type==any order[cpu]\"", "=+ls"));
  EXPECT_THAT(parsed.said, IsEmpty());
}

TEST(SectionFile, CommentsNeverBeginInsideQuotes) {
  const auto value = [](const std::string& text) {
    return parse("Begin Q\nA = " + text + "\nEnd Q\n").rows("Q").at(0);
  };
  EXPECT_EQ(value("\"a # b\" # c"), "A=\"a # b\"");
  EXPECT_EQ(value("'a # b' # c"), "A='a # b'");
  EXPECT_EQ(value("don't # it's"), "A=don't") << "an apostrophe in a word opens no quote";
  EXPECT_EQ(value("\"a # b"), "A=\"a") << "a quote that never closes is a character";
  EXPECT_EQ(value("\"a \\\n b # c\" d # e"), "A=\"a  b # c\" d") << "a quote over joined lines";
  EXPECT_EQ(value("x\\ # no more"), "A=x\\");
}

TEST(SectionFile, EveryErrorIsReported) {
  EXPECT_THAT(parse("x\ny\nBegin Host\nA\n1\nEnd Host\nz\n").said,
              ElementsAre("/c/f:1: found \"x\", expected Begin and the name of a section",
                          "/c/f:7: found \"z\", expected Begin and the name of a section"));
  EXPECT_THAT(parse("Begin Host\nA\n1\n").said,
              ElementsAre("/c/f:1: found no end of the section, expected End Host"));
  EXPECT_THAT(parse("Begin Host\nA\n1\nBegin Queue\nA=1\nEnd Queue\n").said,
              ElementsAre("/c/f:4: found Begin Queue, expected End Host before it"));
  EXPECT_THAT(parse("Begin Host\nA\n1\nEnd Queue\n").said,
              ElementsAre("/c/f:4: found End Queue, expected End Host (begun at /c/f:1)"));
  EXPECT_THAT(parse("Begin Host\nA\n1\nEnd\n").said,
              ElementsAre("/c/f:4: warning: found End alone, expected End Host"));
  EXPECT_THAT(parse("Begin\nA\nEnd\n").said,
              ElementsAre("/c/f:1: found Begin alone, expected the name of a section after it",
                          "/c/f:3: warning: found End alone, expected End "));
  EXPECT_THAT(parse("Begin Host\nA B\n1\n1 2 3\n(1 2\nEnd Host\n").said,
              ElementsAre("/c/f:3: found 1 value, expected 2: A B", "/c/f:4: found 3 values, expected 2: A B",
                          "/c/f:5: found \"(1 2\", expected a closing )"));
  EXPECT_THAT(parse("Begin Host\nA b a\n1 2 3\nEnd Host\n").said,
              ElementsAre("/c/f:2: found the keyword a twice, expected it once"));
  EXPECT_THAT(parse("Begin Host\nA = 1\nB 2\nEnd Host\n").said,
              ElementsAre("/c/f:3: found \"B 2\", expected KEYWORD = VALUE"));
  EXPECT_THAT(parse(std::string("Begin Host\nA = 1\nB = \0\nEnd Host\n", 32)).said,
              ElementsAre("/c/f:3: found \"B = \\x00\", expected a line of text without NUL bytes"));
}

TEST(SectionFile, PlaceholdersOfTheInstallationAreRefused) {
  EXPECT_THAT(
      parse("Begin P\nA = @LSF_TOP@/work\nB = user@host\nC = a@B@c\nEnd P\n").said,
      ElementsAre("/c/f:2: found \"@LSF_TOP@\", expected the value that the installation puts in its place",
                  "/c/f:4: found \"@B@\", expected the value that the installation puts in its place"));
}

TEST(SectionFile, IncludedFilesAreReadInPlace) {
  const MemoryFiles files{
      .files = {{"/c/more/hosts", "b 2\n#INCLUDE \"again\"\n"}, {"/c/more/again", "c 3\n"}, {"/d", "d 4"}}};
  const auto parsed =
      parse("Begin Host\nH N\na 1\n#INCLUDE \"more/hosts\"\n#include \"/d\"\nEnd Host\n", files);
  EXPECT_THAT(parsed.rows(), ElementsAre("H=a|N=1", "H=b|N=2", "H=c|N=3", "H=d|N=4"));
  EXPECT_EQ(parsed.file.sections.at(0).rows.at(2).place.text(), "/c/more/again:1");
  EXPECT_THAT(parsed.said, IsEmpty());
  EXPECT_THAT(parse("#include the hosts of building 3\n#includes\n").said, IsEmpty())
      << "comments that begin alike";
}

TEST(SectionFile, InvalidIncludesAreReported) {
  const MemoryFiles files{
      .files = {{"/c/f", "#INCLUDE \"f\"\n"}, {"/c/a", "#INCLUDE \"b\"\n"}, {"/c/b", "#INCLUDE \"a\"\n"}}};
  EXPECT_THAT(parse("#INCLUDE \"f\"\n", files).said,
              ElementsAre("/c/f:1: found #INCLUDE of \"/c/f\", which includes itself or too many, expected "
                          "files without a loop"));
  EXPECT_THAT(parse("#INCLUDE \"a\"\n", files).said,
              ElementsAre("/c/b:1: found #INCLUDE of \"/c/a\", which includes itself or too many, expected "
                          "files without a loop"));
  EXPECT_THAT(
      parse("#INCLUDE \"none\"\n").said,
      ElementsAre("/c/f:1: found #INCLUDE of a file that cannot be read, expected one that can: /c/none: "
                  "No such file or directory"));
  EXPECT_THAT(parse("#INCLUDE \"\"\n#INCLUDE \"x\n").said, testing::SizeIs(2));
  Problems problems;
  parse_sections("#INCLUDE \"a\"\n#if time(1-2)\n#endif\n", "f", {}, problems);
  EXPECT_THAT(lines_of(problems),
              ElementsAre("f:1: found #INCLUDE, expected a file that includes no other",
                          "f:2: found #if time(), expected a file that is the same at all times"));
}

TEST(SectionFile, AFileThatDoublesAtEachLevelEnds) {
  MemoryFiles files;
  for (int i = 0; i < 16; ++i)
    files.files["/c/" + std::to_string(i)] =
        "#INCLUDE \"" + std::to_string(i + 1) + "\"\n#INCLUDE \"" + std::to_string(i + 1) + "\"\n";
  EXPECT_FALSE(parse("#INCLUDE \"0\"\n", files).said.empty());
}

std::vector<std::string> at(int day, int hour, const std::string& text) {
  const MemoryFiles files{.now = {day, hour * 60}};
  const auto parsed = parse("Begin Host\n" + text + "End Host\n", files);
  EXPECT_THAT(parsed.said, IsEmpty()) << text;
  return parsed.rows();
}

TEST(SectionFile, TheFirstTimeConditionThatHoldsCounts) {
  const std::string text =
      "#if time(18-19)\nA = 1\n#elif time(5:17:00-1:8:30 20-21)\nA = 2\n#else # x\nA = 3\n#endif\nB = 4\n";
  EXPECT_THAT(at(2, 18, text), ElementsAre("A=1|B=4"));
  EXPECT_THAT(at(5, 18, text), ElementsAre("A=1|B=4")) << "the first that holds";
  EXPECT_THAT(at(6, 12, text), ElementsAre("A=2|B=4"));
  EXPECT_THAT(at(2, 20, text), ElementsAre("A=2|B=4"));
  EXPECT_THAT(at(2, 12, text), ElementsAre("A=3|B=4"));
  const std::string zones = "#IF TIME ( 18:30-19:30 EDT 3-4 )\nA = 1\n#ENDIF\nB = 2\n";
  EXPECT_THAT(at(1, 18, zones), ElementsAre("A=1|B=2")) << "there it is an hour later";
  EXPECT_THAT(at(1, 19, zones), ElementsAre("B=2"));
  EXPECT_THAT(at(1, 3, zones), ElementsAre("A=1|B=2")) << "the last window is in the site's zone";
  EXPECT_THAT(at(1, 1, "#if time(1-2)\n#if time(3-4)\nA = 1\n#else\nA = 2\n#endif\n#else\nA = 3\n#endif\n"),
              ElementsAre("A=2"));
  EXPECT_THAT(at(1, 5, "#if time(1-2)\n#INCLUDE \"none\"\n#endif\n#if you want\n#else where\nA = 1\n"),
              ElementsAre("A=1"));
}

TEST(SectionFile, InvalidTimeConditionsAreReported) {
  EXPECT_THAT(parse("#if time(1-2)\n").said,
              ElementsAre("/c/f:1: found no #endif for this #if, expected one in the same file"));
  EXPECT_THAT(parse("#endif\n#else\n#elif time(1-2)\n").said,
              ElementsAre("/c/f:1: found #endif, expected an #if time() before it",
                          "/c/f:2: found #else, expected an #if time() before it",
                          "/c/f:3: found #elif, expected an #if time() before it"));
  EXPECT_THAT(parse("#if time(1-2)\n#else\n#else\n#elif time(1-2)\n#endif\n").said,
              ElementsAre("/c/f:3: found #else, expected #endif after #else",
                          "/c/f:4: found #elif, expected #endif after #else"));
  EXPECT_THAT(
      parse("#if time(25-2)\n#endif\n#if time()\n#endif\n#if time(1-2 NOWHERE)\n#endif\n").said,
      ElementsAre("/c/f:1: found \"25-2\", expected a time window [day:]hour[:minute]-[day:]hour[:minute]",
                  "/c/f:3: found no time window in time(), expected [day:]hour[:minute]-[day:]hour[:minute]",
                  "/c/f:5: found the time zone \"NOWHERE\", expected one this host knows"));
}

}  // namespace
}  // namespace rollcall::conf
