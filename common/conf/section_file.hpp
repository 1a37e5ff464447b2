// SectionFile: the sections of an LSF configuration file (all of them but lsf.conf), as rows of named cells with the
// line each came from. A value; the caller reads the files.
//
// It is not a typed view (see lsf_shared.hpp, lsf_cluster.hpp, lsb_*.hpp) and knows no section or keyword by name. Both
// layouts, vertical (a keyword line, then one row per line) and horizontal (NAME = VALUE lines, one row per section),
// give the same rows. The grammar and what it tolerates are at the top of section_file.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

// A value as it stands in the file: blanks round it gone, one pair of parentheses round all of it kept.
struct Cell {
  std::string text;
  Place place;

  // True for an empty value, "-" and "()": the default.
  bool is_default() const;
  // The blank-separated words; one pair of outer parentheses is taken off first.
  std::vector<std::string> words() const;
};

// One object: a line of a vertical section, or a whole horizontal section.
class Row {
 public:
  Place place;

  // Keywords are compared without regard to case. nullptr where the row has no such keyword. A cell with a default value is found
  // too (is_default()).
  const Cell* find(std::string_view keyword) const;
  // The same, but nullptr for a default value too.
  const Cell* given(std::string_view keyword) const;
  // In the order of the file. A keyword given twice in a horizontal section: the last one counts.
  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }

  void set(std::string keyword, Cell cell);

 private:
  std::vector<std::pair<std::string, Cell>> cells_;
};

struct Section {
  std::string name;                   // as written; same_name() of words.hpp compares
  Place place;                        // of its Begin
  std::vector<std::string> keywords;  // of a vertical section, as written; empty for a horizontal one
  Place keywords_place;               // of the line they stand in
  std::vector<Row> rows;              // a horizontal section has exactly one
};

// Reads another file: for `#INCLUDE "path"` the text of that file.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// The wall clock for `#if time(...)` in a time zone. None where the zone is unknown.
struct LocalTime {
  int day = 0;     // 0 = Sunday
  int minute = 0;  // of the day, 0..1439
  friend bool operator==(const LocalTime&, const LocalTime&) = default;
};
using TimeIn = std::function<std::optional<LocalTime>(const std::string& zone)>;  // "" is the site's own zone

// The condition of a `#if time(...)`: windows of the week, each in the site's zone ("") or a named one. It holds while one of
// them is open; a window in an unknown zone never is.
struct TimeCondition {
  std::vector<std::pair<TimeWindows, std::string>> windows;
  bool holds(const TimeIn& time) const;
};
// Called for each condition when it is decided.
using TimeDecided = std::function<void(const TimeCondition& condition, bool holds)>;

struct SectionSyntax {
  // The default columns of sections whose keyword line is missing or commented out, by section name. A first line with none of
  // them is a row.
  std::vector<std::pair<std::string, std::vector<std::string>>> default_keywords;
  ReadFile include;     // none: an #INCLUDE is an error
  TimeIn time;          // none: #if time() is an error
  TimeDecided decided;  // none: not reported
  // Sections with neither layout (lsf.task): each line is a row of one cell "".
  std::vector<std::string> line_sections;
  // Keywords whose value, in the last column, takes the rest of the line: lists without parentheses. It may be missing.
  std::vector<std::string> rest_of_row;
};

struct SectionFile {
  std::vector<Section> sections;

  // All sections of that name, in order; names are compared without regard to case.
  std::vector<const Section*> all(std::string_view name) const;
};

// The sections written as a file; parse_sections() of it gives the same sections.
std::string section_text(const SectionFile& file);

// Never fails as a whole: it gives what could be read, and `problems` has every error and warning of the file.
SectionFile parse_sections(std::string_view text, const std::string& file_name, const SectionSyntax& syntax,
                           Problems& problems);

}  // namespace rollcall::conf
