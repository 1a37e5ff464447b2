#include "common/conf/row_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {

std::optional<double> parse_real(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  // from_chars reads "inf" and "nan" too.
  if (word.empty() || word.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<bool> parse_yes_no(std::string_view word) {
  if (same_name(word, "y") || same_name(word, "yes")) return true;
  if (same_name(word, "n") || same_name(word, "no")) return false;
  return std::nullopt;
}

std::string list_of(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

Place RowReader::place(std::string_view keyword) const {
  const Cell* cell = row_.find(keyword);
  return cell ? cell->place : row_.place;
}

void RowReader::error(std::string_view keyword, std::string_view found, std::string_view expected) {
  valid_ = false;
  problems_.error(place(keyword), std::string(keyword) + ": found " + printable(found) + ", expected " +
                                      std::string(expected));
}

void RowReader::warning(std::string_view keyword, std::string_view found, std::string_view expected) {
  problems_.warning(place(keyword), std::string(keyword) + ": found " + printable(found) + ", expected " +
                                        std::string(expected));
}

void RowReader::told(std::string_view keyword, const std::string& text) {
  valid_ = false;
  problems_.error(place(keyword), std::string(keyword) + ": " + text);
}

std::string RowReader::word(std::string_view keyword) {
  const Cell* cell = row_.given(keyword);
  if (!cell) return "";
  auto words = cell->words();
  if (words.size() == 1) return words[0];
  error(keyword, cell->text, "one word");
  return "";
}

std::string RowReader::required(std::string_view keyword) {
  if (row_.given(keyword)) return word(keyword);
  const Cell* cell = row_.find(keyword);
  error(keyword, cell ? cell->text : "", "a value");
  return "";
}

std::string RowReader::text(std::string_view keyword) const {
  const Cell* cell = row_.given(keyword);
  if (!cell) return "";
  const auto words = cell->words();
  const std::string joined = join(words);
  // Without parentheses the value keeps its blanks as written.
  return cell->text.starts_with('(') ? joined : cell->text;
}

std::vector<std::string> RowReader::words(std::string_view keyword) const {
  const Cell* cell = row_.given(keyword);
  return cell ? cell->words() : std::vector<std::string>{};
}

std::optional<int> RowReader::whole(std::string_view keyword, int least, int most) {
  const std::string text = word(keyword);
  if (text.empty()) return std::nullopt;
  const bool negative = text.starts_with('-');
  auto value = parse_whole(std::string_view(text).substr(negative ? 1 : 0), 0, std::max(most, -least));
  if (value && negative) *value = -*value;
  if (value && *value >= least && *value <= most) return value;
  error(keyword, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<double> RowReader::real(std::string_view keyword, double least, double most) {
  const std::string text = word(keyword);
  if (text.empty()) return std::nullopt;
  const auto value = parse_real(text);
  if (value && *value >= least && *value <= most) return value;
  error(keyword, text, least == 0 ? "a number, 0 or more" : "a number");
  return std::nullopt;
}

std::optional<bool> RowReader::yes_no(std::string_view keyword) {
  const std::string text = word(keyword);
  if (text.empty()) return std::nullopt;
  const auto value = parse_yes_no(text);
  if (!value) error(keyword, text, "Y or N");
  return value;
}

std::optional<Duration> RowReader::seconds(std::string_view keyword) {
  const std::string text = word(keyword);
  if (text.empty()) return std::nullopt;
  const auto value = parse_seconds(text);
  if (!value) error(keyword, text, "seconds from 0 to " + std::to_string(kMaxSeconds));
  return value;
}

std::optional<Duration> RowReader::some_seconds(std::string_view keyword) {
  const auto value = seconds(keyword);
  if (!value || *value > Duration{0}) return value;
  error(keyword, word(keyword), "more than 0 seconds");
  return std::nullopt;
}

TimeWindows RowReader::windows(std::string_view keyword) {
  const Cell* cell = row_.given(keyword);
  if (!cell) return {};
  auto windows = TimeWindows::parse(cell->text);
  if (windows) return *windows;
  told(keyword, windows.error().text);
  return {};
}

Place place_of(const Row& row, std::string_view keyword, const Place& otherwise) {
  const Cell* cell = row.given(keyword);
  return cell ? cell->place : otherwise;
}

Row without_errors(const Row& row, const Problems& problems) {
  Row rest;
  rest.place = row.place;
  for (const auto& [keyword, cell] : row.cells()) {
    const auto of_cell = [&keyword = keyword, &cell = cell](const Problem& problem) {
      return problem.kind != Problem::Kind::warning && problem.place.line == cell.place.line &&
             problem.place.file == cell.place.file && problem.text.size() > keyword.size() &&
             problem.text[keyword.size()] == ':' &&
             same_name(std::string_view(problem.text).substr(0, keyword.size()), keyword);
    };
    if (std::none_of(problems.all().begin(), problems.all().end(), of_cell)) rest.set(keyword, cell);
  }
  return rest;
}

const ResourceDefinition* threshold_index(const IndexTable& indices, std::string_view keyword) {
  const std::string small = lower(keyword);
  const std::string_view formal = formal_name(small);
  for (const ResourceDefinition& definition : indices.all())
    if (definition.dynamic() && definition.type == ResourceType::numeric &&
        (definition.name == keyword || same_name(definition.name, formal)))
      return &definition;
  return nullptr;
}

std::vector<std::string> threshold_keywords(const Section& section, const IndexTable& indices) {
  std::vector<std::string> keywords = section.keywords;
  if (keywords.empty())
    for (const Row& row : section.rows)
      for (const auto& [keyword, cell] : row.cells()) keywords.push_back(keyword);
  std::erase_if(keywords, [&](const std::string& keyword) { return !threshold_index(indices, keyword); });
  return keywords;
}

namespace {

constexpr std::size_t kShownKeywords = 8;

// The "expected" part for an unknown keyword: the one probably meant, else the known ones if they are few.
std::string expected_keyword(const std::string& keyword, const std::vector<std::string>& known) {
  for (const std::string& name : known)
    if (one_slip(keyword, name)) return name;
  return known.size() <= kShownKeywords ? join(known) : "one of the manual page";
}

}  // namespace

bool check_keywords(const Section& section, const Keywords& keywords, Problems& problems) {
  std::vector<std::string> known = keywords.required;
  known.insert(known.end(), keywords.known.begin(), keywords.known.end());
  std::vector<std::pair<std::string, Place>> given;
  for (const std::string& keyword : section.keywords) given.emplace_back(keyword, section.keywords_place);
  if (section.keywords.empty() && !section.rows.empty())
    for (const auto& [keyword, cell] : section.rows[0].cells()) given.emplace_back(keyword, cell.place);
  if (given.empty()) return true;  // an empty section

  const auto is_known = [&known](const std::string& keyword) {
    return std::any_of(known.begin(), known.end(),
                       [&keyword](const std::string& name) { return same_name(name, keyword); });
  };
  for (const auto& [keyword, place] : given)
    if (!is_known(keyword))
      problems.warning(place, "found " + printable(keyword) + " in section " + section.name +
                                  ", which is unknown and passed over, expected " +
                                  expected_keyword(keyword, known));
  bool all = true;
  for (const std::string& name : keywords.required) {
    if (std::any_of(given.begin(), given.end(),
                    [&name](const auto& pair) { return same_name(pair.first, name); }))
      continue;
    problems.error(section.keywords.empty() ? section.place : section.keywords_place,
                   "found no " + name + " in section " + section.name + ", expected it");
    all = false;
  }
  return all;
}

namespace {

// How many letters of the name are to be changed, left out or put in, in any case, until it is `meant`.
std::size_t slips(std::string_view name, std::string_view meant) {
  std::vector<std::size_t> row(meant.size() + 1);  // for the first letters of `name` that were looked at
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < meant.size(); ++j) {
      const std::size_t changed = diagonal + (same_name(name.substr(i, 1), meant.substr(j, 1)) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// The known name that is one slip away, or two where it has five letters or more: short words are near to many others. "": none.
std::string_view meant_section(std::string_view name, std::initializer_list<std::string_view> known) {
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view meant : known) {
    const std::size_t more = std::max(name.size(), meant.size()) - std::min(name.size(), meant.size());
    if (more > 2) continue;
    const std::size_t away = slips(name, meant);
    if (away < least && away <= (meant.size() < 5 ? 1U : 2U)) nearest = meant, least = away;
  }
  return nearest;
}

}  // namespace

void check_sections(const SectionFile& file, std::initializer_list<std::string_view> known,
                    Problems& problems) {
  // LSF's sections without effect get a warning with the reason (without_effect.hpp).
  const auto explained = [](const std::string& name) {
    const auto& rows = keywords_without_effect();
    return std::any_of(rows.begin(), rows.end(), [&name](const KeywordWithoutEffect& row) {
      return row.keyword.empty() && same_name(row.section, name);
    });
  };
  for (const Section& section : file.sections) {
    const auto is_it = [&section](std::string_view name) { return same_name(name, section.name); };
    if (explained(section.name) || std::any_of(known.begin(), known.end(), is_it)) continue;
    const std::string found = "found section " + printable(section.name);
    if (const auto meant = meant_section(section.name, known); !meant.empty())
      problems.error(section.place,
                     found + ", expected " + list_of(known) + " (did you mean " + std::string(meant) + "?)");
    else
      problems.warning(section.place,
                       found + ", which is unknown and passed over, expected " + list_of(known));
  }
}

}  // namespace rollcall::conf
