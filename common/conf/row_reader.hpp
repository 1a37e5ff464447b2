// RowReader: takes values out of a row for a typed view: words, numbers, yes or no; reports an error for each invalid one.
//
// It reads one row and owns nothing; the view knows what a keyword means. A value that is not given ("", "-", "()") is none and
// no error.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/section_file.hpp"

namespace rollcall::conf {

// A number with an optional point and exponent, and nothing else; no inf, no nan.
std::optional<double> parse_real(std::string_view word);
// Y or N, yes or no, in any case.
std::optional<bool> parse_yes_no(std::string_view word);
// "a b c" for a message.
std::string list_of(std::initializer_list<std::string_view> words);

class RowReader {
 public:
  RowReader(const Row& row, Problems& problems) : row_(row), problems_(problems) {}

  // One word; parentheses round it are taken off. Several words are an error.
  std::string word(std::string_view keyword);
  // The same; a row without it is an error.
  std::string required(std::string_view keyword);
  // All of the value but one pair of parentheses round it.
  std::string text(std::string_view keyword) const;
  std::vector<std::string> words(std::string_view keyword) const;

  std::optional<int> whole(std::string_view keyword, int least, int most);
  std::optional<double> real(std::string_view keyword, double least, double most);
  std::optional<bool> yes_no(std::string_view keyword);
  // Seconds, may have a fraction. `more_than_zero`: 0 is an error too.
  std::optional<Duration> seconds(std::string_view keyword);
  std::optional<Duration> some_seconds(std::string_view keyword);
  TimeWindows windows(std::string_view keyword);

  // False after an error: the row must not be used.
  bool valid() const { return valid_; }

  // "KEYWORD: found VALUE, expected WHAT" at the place of the value (of the row, where there is none).
  void error(std::string_view keyword, std::string_view found, std::string_view expected);
  void warning(std::string_view keyword, std::string_view found, std::string_view expected);
  // "KEYWORD: TEXT" as an error; TEXT comes from the parser of the value.
  void told(std::string_view keyword, const std::string& text);

 private:
  Place place(std::string_view keyword) const;
  const Row& row_;
  Problems& problems_;
  bool valid_ = true;
};

// Of the value that the row gives, else `otherwise`.
Place place_of(const Row& row, std::string_view keyword, const Place& otherwise);

// The row without the values for which `problems` has an error.
Row without_errors(const Row& row, const Problems& problems);

// The dynamic numeric resource that a threshold column's keyword names, in any case or by an alias (CPU, r15s, a site's own);
// nullptr for other keywords.
const ResourceDefinition* threshold_index(const IndexTable& indices, std::string_view keyword);
// The keywords of a section that are threshold columns.
std::vector<std::string> threshold_keywords(const Section& section, const IndexTable& indices);

// Checks the keywords of a section: `required` must be in the keyword line of a vertical section, or in the row of a horizontal
// one. False where one is missing (an error); an unknown keyword is a warning.
struct Keywords {
  std::vector<std::string> required;
  std::vector<std::string> known;
};
bool check_keywords(const Section& section, const Keywords& keywords, Problems& problems);

// Calls take(row) for the rows of every section of that name that has the required keywords.
template <class Take>
void each_row(const SectionFile& file, std::string_view name, const Keywords& keywords, Problems& problems,
              const Take& take) {
  for (const Section* section : file.all(name))
    if (check_keywords(*section, keywords, problems))
      for (const Row& row : section->rows) take(row);
}

// Warns of sections unknown for this file, which later releases of LSF may know. A name that is one or two letters off a known one is an
// error: the section is left out by a slip.
void check_sections(const SectionFile& file, std::initializer_list<std::string_view> known,
                    Problems& problems);

}  // namespace rollcall::conf
