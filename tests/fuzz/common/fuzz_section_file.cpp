// Any bytes as a section file: read, or what is wrong told in lines of their own; what was read is printed so that it reads
// back the same.
#include <cstdint>
#include <string>

#include "common/conf/section_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::conf;
using rollcall::fuzz::require;

namespace {

SectionSyntax syntax() {
  SectionSyntax syntax;
  syntax.default_keywords = {{"ResourceMap", {"RESOURCENAME", "LOCATION"}}, {"HostType", {"TYPENAME"}}};
  syntax.line_sections = {"LocalTask", "RemoteTasks"};
  syntax.include = [](const std::string& path) -> Result<std::string> {
    if (path.size() > 2) return configuration_error(path + ": none");
    return "x " + path + "\n#INCLUDE \"" + path.substr(1) + "b\"\n";
  };
  syntax.time = [](const std::string& zone) -> std::optional<LocalTime> {
    if (zone == "X") return std::nullopt;
    return LocalTime{3, 600};
  };
  return syntax;
}

void same(const SectionFile& a, const SectionFile& b) {
  require(a.sections.size() == b.sections.size());
  for (std::size_t s = 0; s < a.sections.size(); ++s) {
    require(a.sections[s].name == b.sections[s].name && a.sections[s].keywords == b.sections[s].keywords);
    require(a.sections[s].rows.size() == b.sections[s].rows.size());
    for (std::size_t r = 0; r < a.sections[s].rows.size(); ++r) {
      const auto& left = a.sections[s].rows[r].cells();
      const auto& right = b.sections[s].rows[r].cells();
      require(left.size() == right.size());
      for (std::size_t c = 0; c < left.size(); ++c)
        require(left[c].first == right[c].first && left[c].second.text == right[c].second.text);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Problems problems;
  const auto file = parse_sections({reinterpret_cast<const char*>(data), size}, "f", syntax(), problems);
  for (const Problem& problem : problems.all()) require(problem.line().find('\n') == std::string::npos);
  for (const Section& section : file.sections)
    for (const Row& row : section.rows)
      for (const auto& [keyword, cell] : row.cells()) {
        require(row.find(keyword) != nullptr);
        require(cell.words().empty() || !cell.text.empty());
      }
  if (problems.has_errors()) return 0;
  Problems again;
  same(parse_sections(section_text(file), "g", syntax(), again), file);
  require(!again.has_errors());
  return 0;
}
