// Section files, whatever is in them: reading never throws, and what was read is printed so that it reads back the same.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/section_file.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

// Names, keywords and values without line numbers, which printing changes.
std::string shape(const SectionFile& file) {
  std::string text;
  for (const Section& section : file.sections) {
    text += "<" + section.name;
    for (const std::string& keyword : section.keywords) text += "|" + keyword;
    for (const Row& row : section.rows) {
      text += "\n";
      for (const auto& [keyword, cell] : row.cells()) text += keyword + "=" + cell.text + ";";
    }
    text += ">";
  }
  return text;
}

SectionSyntax syntax() {
  SectionSyntax syntax;
  syntax.default_keywords = {{"ResourceMap", {"RESOURCENAME", "LOCATION"}}};
  syntax.line_sections = {"LocalTask"};
  syntax.include = [](const std::string& path) -> Result<std::string> { return "x " + path + "\n"; };
  syntax.time = [](const std::string&) { return LocalTime{3, 600}; };
  return syntax;
}

void reads_back(const std::string& text) {
  Problems problems;
  const SectionFile file = parse_sections(text, "f", syntax(), problems);
  for (const Problem& problem : problems.all()) RC_ASSERT(problem.line().find('\n') == std::string::npos);
  if (problems.has_errors()) return;
  Problems again;
  RC_ASSERT(shape(parse_sections(section_text(file), "g", syntax(), again)) == shape(file));
  RC_ASSERT(!again.has_errors());
}

// Words that a file could be made of, so that many cases have whole sections.
rc::Gen<std::string> words() {
  const auto word = rc::gen::elementOf(std::vector<std::string>{"Begin",
                                                                "End",
                                                                "Host",
                                                                "Hosts",
                                                                "ResourceMap",
                                                                "LocalTask",
                                                                "Begin Host\nA B\n",
                                                                "Begin Host\nA = 1\n",
                                                                "End Host\n",
                                                                "End",
                                                                "RESOURCENAME",
                                                                "LOCATION",
                                                                "A",
                                                                "B",
                                                                "a b\n",
                                                                "(x y)",
                                                                "[a b]",
                                                                "2@[c d]",
                                                                "()",
                                                                "-",
                                                                "=",
                                                                " = ",
                                                                "#",
                                                                "\\\n",
                                                                "\\ \n",
                                                                "\n",
                                                                "\r\n",
                                                                "\"",
                                                                "'",
                                                                "x",
                                                                "\t",
                                                                "#INCLUDE \"p\"\n",
                                                                "#if time(9-17)\n",
                                                                "#else\n",
                                                                "#elif time(1-2)\n",
                                                                "#endif\n",
                                                                "(",
                                                                ")",
                                                                "[",
                                                                "]",
                                                                "@T@",
                                                                "\\"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(word),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part + (part.size() % 2 ? " " : "");
                        return text;
                      });
}

RC_GTEST_PROP(SectionFileProperty, AnyBytesAreReadOrReported, (const std::string& text)) { reads_back(text); }

RC_GTEST_PROP(SectionFileProperty, LikelyWordsReadBack, ()) { reads_back(*words()); }

// Rows made as a program would make them.
RC_GTEST_PROP(SectionFileProperty, PrintedRowsReadBack, ()) {
  const auto cell = rc::gen::elementOf(std::vector<std::string>{"a", "()", "-", "(a b)", "!", "(x=1 !y)",
                                                                "\"p # q\"", "0.5/2", "[default]", "don't"});
  const auto columns = *rc::gen::inRange(1, 6);
  SectionFile file;
  file.sections.push_back({.name = "Host"});
  for (int i = 0; i < columns; ++i) file.sections[0].keywords.push_back("K" + std::to_string(i));
  const auto rows = *rc::gen::inRange(0, 8);
  for (int r = 0; r < rows; ++r) {
    Row row;
    for (int i = 0; i < columns; ++i) row.set("K" + std::to_string(i), {*cell, {}});
    file.sections[0].rows.push_back(row);
  }
  Problems problems;
  RC_ASSERT(shape(parse_sections(section_text(file), "f", syntax(), problems)) == shape(file));
  RC_ASSERT(problems.all().empty());
}

}  // namespace
}  // namespace rollcall::conf
