// RowReader: how a typed view takes values out of a row: words, numbers, yes or no, each with its line of error.
//
// It reads one row and owns nothing; what a keyword means is the view's. A value that is not given ("", "-", "()") gives
// nothing and is no error.
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
  // Seconds, with a fraction where need be. `more_than_zero`: 0 is an error too.
  std::optional<Duration> seconds(std::string_view keyword);
  std::optional<Duration> some_seconds(std::string_view keyword);
  TimeWindows windows(std::string_view keyword);

  // False after an error: the row is not to be used.
  bool valid() const { return valid_; }

  // "KEYWORD: found VALUE, expected WHAT" at the place of the value (of the row, where there is none).
  void error(std::string_view keyword, std::string_view found, std::string_view expected);
  void warning(std::string_view keyword, std::string_view found, std::string_view expected);
  // "KEYWORD: TEXT" as an error: what a parser of the value said.
  void told(std::string_view keyword, const std::string& text);

 private:
  Place place(std::string_view keyword) const;
  const Row& row_;
  Problems& problems_;
  bool valid_ = true;
};

// The row without the values that `problems` has an error of: what is in force of it.
Row without_errors(const Row& row, const Problems& problems);

// The dynamic numeric resource that the keyword of a column of thresholds names, in any case and by an alias (CPU, r15s,
// a site's own); nullptr for other keywords.
const ResourceDefinition* threshold_index(const IndexTable& indices, std::string_view keyword);
// The keywords of a section that are such columns.
std::vector<std::string> threshold_keywords(const Section& section, const IndexTable& indices);

// What keywords a section has: `required` must be among those of a vertical section, or in the row of a horizontal one.
// False where one of them is missing (an error); an unknown keyword is a warning.
struct Keywords {
  std::vector<std::string> required;
  std::vector<std::string> known;
};
bool check_keywords(const Section& section, const Keywords& keywords, Problems& problems);

// Calls take(row) for the rows of every section of that name that has the keywords it must have.
template <class Take>
void each_row(const SectionFile& file, std::string_view name, const Keywords& keywords, Problems& problems,
              const Take& take) {
  for (const Section* section : file.all(name))
    if (check_keywords(*section, keywords, problems))
      for (const Row& row : section->rows) take(row);
}

// Warns of sections that a file does not have.
void check_sections(const SectionFile& file, std::initializer_list<std::string_view> known,
                    Problems& problems);

}  // namespace rollcall::conf
