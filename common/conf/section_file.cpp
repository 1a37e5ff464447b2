// The sections of a file, from the lines that section_lines.cpp gives:
//
//   file       = { section }
//   section    = "Begin" NAME { body line } "End" NAME       any case; NAME of End may have an "s" more or less
//   body       = horizontal | vertical | lines
//   horizontal = { KEYWORD "=" [ value ] }                   split at the first "="; a keyword given twice: the last counts
//   vertical   = keywords { row }                            keywords = KEYWORD { KEYWORD }, in any order
//   row        = cell { cell }                               as many as keywords
//   cell       = text without blanks | "(" words ")" | "[" words "]" | '"' text '"'     and any of these without a blank between
//   lines      = { text }                                    of sections whose syntax says so
//
// A section is horizontal if its first line is KEYWORD = ..., else vertical. If the first line has none of the section's default
// keywords, its keyword line is missing (or commented out): the default keywords are used, and the line is a row. Surplus cells
// at the end of a row join the last cell if all of them have "[": instance lists without parentheses.
//
// A section without its End is a fatal error: the file was cut off, and its rest may be missing. Anything else invalid is left
// out.
#include "common/conf/section_file.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/conf/section_lines.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

std::string found(std::string_view what, std::string_view expected) {
  return "found " + printable(what) + ", expected " + std::string(expected);
}

// Where the parenthesis or bracket that opens at `at` closes; npos where it does not.
std::size_t closing(std::string_view text, std::size_t at) {
  const char open = text[at];
  const char close = open == '(' ? ')' : ']';
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// The cells of a row; an unclosed parenthesis is an error.
std::vector<std::string> cells_of(std::string_view line, const Place& place, Problems& problems) {
  std::vector<std::string> cells;
  bool between = true;
  bool told = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (kBlanks.find(line[i]) != std::string_view::npos) {
      between = true;
      continue;
    }
    if (between) cells.emplace_back();
    between = false;
    std::size_t last = i;
    if (line[i] == '(' || line[i] == '[') {
      last = closing(line, i);
      if (last == std::string_view::npos && !told) {
        problems.error(place, found(line.substr(i), line[i] == '(' ? "a closing )" : "a closing ]"));
        told = true;
      }
    } else if (line[i] == '"') {
      last = line.find('"', i + 1);
    }
    if (last == std::string_view::npos) last = i;
    cells.back() += line.substr(i, last - i + 1);
    i = last;
  }
  return cells;
}

// The place of "=" in "KEYWORD = value"; none where the line has another form.
std::optional<std::size_t> horizontal(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view keyword = trim_right(line.substr(0, equals));
  if (keyword.empty() || keyword.find_first_of(" \t\r\v\f()[]\"") != std::string_view::npos)
    return std::nullopt;
  return equals;
}

// The first placeholder such as "@LSF_TOP@" in the line; "" where there is none.
std::string_view placeholder(std::string_view line) {
  for (std::size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    const std::size_t end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", at + 1);
    if (end == std::string_view::npos) return {};
    if (line[end] == '@' && end > at + 1 && line[at + 1] >= 'A' && line[at + 1] <= 'Z')
      return line.substr(at, end - at + 1);
  }
  return {};
}

// The word after Begin or End; "" where it is missing; none for another line.
std::optional<std::string> frame(std::string_view line, std::string_view begin_or_end) {
  const auto words = split_words(line);
  if (words.size() > 2 || !same_name(words[0], begin_or_end)) return std::nullopt;
  if (words.size() == 1) return "";
  if (words[1].starts_with('=')) return std::nullopt;
  return words[1];
}

// True for the same name, or one with an "s" more or less: "Hosts" closes "Host".
bool closes(std::string_view end, std::string_view begin) {
  return same_name(end, begin) || same_name(end, std::string(begin) + "s") ||
         same_name(std::string(end) + "s", begin);
}

class Parser {
 public:
  Parser(const SectionSyntax& syntax, Problems& problems) : syntax_(syntax), problems_(problems) {}

  SectionFile parse(const std::vector<SectionLine>& lines) {
    for (const SectionLine& line : lines) take(line);
    if (open_) problems_.fatal(open_->place, "found no end of the section, expected End " + open_->name);
    close();
    return std::move(file_);
  }

 private:
  void take(const SectionLine& line);
  void take_begin(const std::string& name, const Place& place);
  void take_end(const std::string& name, const Place& place);
  void take_body(const SectionLine& line);
  void take_first(const SectionLine& line);
  void take_pair(const SectionLine& line);
  void take_row(const SectionLine& line);
  void close();

  enum class Layout { unknown, horizontal, vertical, lines, broken };

  const SectionSyntax& syntax_;
  Problems& problems_;
  SectionFile file_;
  std::optional<Section> open_;
  Layout layout_ = Layout::unknown;
  bool outside_told_ = false;  // one line for each run of lines outside the sections
};

void Parser::take(const SectionLine& line) {
  const std::string_view left = placeholder(line.text);
  if (!left.empty())
    return problems_.error(line.place, found(left, "the value that the installation puts in its place"));
  if (const auto name = frame(line.text, "begin")) return take_begin(*name, line.place);
  if (open_) {
    if (const auto name = frame(line.text, "end")) return take_end(*name, line.place);
    return take_body(line);
  }
  if (!outside_told_) problems_.error(line.place, found(line.text, "Begin and the name of a section"));
  outside_told_ = true;
}

void Parser::take_begin(const std::string& name, const Place& place) {
  if (open_) problems_.fatal(place, "found Begin " + name + ", expected End " + open_->name + " before it");
  close();
  if (name.empty()) problems_.error(place, "found Begin alone, expected the name of a section after it");
  open_ = Section{.name = name, .place = place};
  layout_ = Layout::unknown;
  if (name.empty()) layout_ = Layout::broken;
  for (const std::string& lines : syntax_.line_sections)
    if (same_name(lines, name)) layout_ = Layout::lines;
}

void Parser::take_end(const std::string& name, const Place& place) {
  if (name.empty())
    problems_.warning(place, "found End alone, expected End " + open_->name);
  else if (!closes(name, open_->name) && !open_->name.empty())
    problems_.error(place, "found End " + name + ", expected End " + open_->name + " (begun at " +
                               open_->place.text() + ")");
  close();
}

void Parser::close() {
  if (open_ && !open_->name.empty()) file_.sections.push_back(std::move(*open_));
  open_.reset();
  outside_told_ = false;
}

void Parser::take_body(const SectionLine& line) {
  switch (layout_) {
    case Layout::unknown:
      return take_first(line);
    case Layout::horizontal:
      return take_pair(line);
    case Layout::vertical:
      return take_row(line);
    case Layout::lines: {
      Row row;
      row.place = line.place;
      row.set("", {line.text, line.place});
      open_->rows.push_back(std::move(row));
      return;
    }
    case Layout::broken:
      return;
  }
}

void Parser::take_first(const SectionLine& line) {
  if (horizontal(line.text)) {
    layout_ = Layout::horizontal;
    open_->rows.emplace_back().place = open_->place;
    return take_pair(line);
  }
  layout_ = Layout::vertical;
  std::vector<std::string> words = split_words(line.text);
  for (const auto& [section, keywords] : syntax_.default_keywords) {
    if (!same_name(section, open_->name)) continue;
    const auto& columns = keywords;
    const auto known = [&columns](const std::string& word) {
      return std::any_of(columns.begin(), columns.end(),
                         [&word](const std::string& keyword) { return same_name(word, keyword); });
    };
    if (std::any_of(words.begin(), words.end(), known)) break;
    problems_.warning(line.place, "found no line of keywords, expected one; taken for it: " + join(keywords));
    open_->keywords = keywords;
    open_->keywords_place = line.place;
    return take_row(line);
  }
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->find_first_of("=()[]\"") != std::string::npos) {
      problems_.error(line.place, found(line.text, "a line of keywords or KEYWORD = VALUE"));
      layout_ = Layout::broken;
      return;
    }
    if (std::any_of(words.begin(), word, [&](const std::string& other) { return same_name(other, *word); })) {
      problems_.error(line.place, "found the keyword " + *word + " twice, expected it once");
      layout_ = Layout::broken;
      return;
    }
  }
  open_->keywords = std::move(words);
  open_->keywords_place = line.place;
}

void Parser::take_pair(const SectionLine& line) {
  const auto equals = horizontal(line.text);
  if (!equals) return problems_.error(line.place, found(line.text, "KEYWORD = VALUE"));
  const std::string_view text = line.text;
  const std::string keyword(trim_right(text.substr(0, *equals)));
  Cell cell{std::string(trim(text.substr(*equals + 1))), line.place};
  if (const Cell* before = open_->rows.back().find(keyword); before && before->text != cell.text)
    problems_.warning(before->place, keyword + ": found " + printable(before->text) + ", expected " +
                                         keyword + " once; line " + std::to_string(line.place.line) +
                                         " counts");
  open_->rows.back().set(keyword, std::move(cell));
}

void Parser::take_row(const SectionLine& line) {
  const auto& keywords = open_->keywords;
  auto cells = cells_of(line.text, line.place, problems_);
  const auto listed = [](const std::string& cell) { return cell.find('[') != std::string::npos; };
  if (cells.size() > keywords.size() &&
      std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(keywords.size()) - 1, cells.end(), listed)) {
    for (std::size_t i = keywords.size(); i < cells.size(); ++i) cells[keywords.size() - 1] += " " + cells[i];
    cells.resize(keywords.size());
  }
  const auto takes_rest = [&](const std::string& name) { return same_name(name, keywords.back()); };
  if (std::any_of(syntax_.rest_of_row.begin(), syntax_.rest_of_row.end(), takes_rest)) {
    if (cells.size() > keywords.size()) {
      std::string& last = cells[keywords.size() - 1];
      for (std::size_t i = keywords.size(); i < cells.size(); ++i) last += " " + cells[i];
      problems_.warning(line.place, found(last, "parentheses round the values of " + keywords.back()) +
                                        "; the row counts without them");
    }
    if (cells.size() + 1 == keywords.size()) {
      problems_.warning(line.place, "found no value for " + keywords.back() + ", expected one or ()");
      cells.emplace_back("()");
    }
    cells.resize(std::min(cells.size(), keywords.size()));
  }
  if (cells.size() != keywords.size())
    return problems_.error(line.place, "found " + std::to_string(cells.size()) +
                                           (cells.size() == 1 ? " value" : " values") + ", expected " +
                                           std::to_string(keywords.size()) + ": " + join(keywords));
  Row row;
  row.place = line.place;
  for (std::size_t i = 0; i < cells.size(); ++i) row.set(keywords[i], {std::move(cells[i]), line.place});
  open_->rows.push_back(std::move(row));
}

// A backslash at the end of a line would join the next one.
std::string ended(std::string line) { return line + (line.ends_with('\\') ? " #\n" : "\n"); }

// Text between one pair of parentheses round all of it; else the text itself.
std::string_view inside(std::string_view text) {
  if (text.starts_with('(') && closing(text, 0) == text.size() - 1) return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

bool Cell::is_default() const { return text == "-" || trim(inside(text)).empty(); }

std::vector<std::string> Cell::words() const { return split_words(inside(text)); }

const Cell* Row::find(std::string_view keyword) const {
  for (const auto& [name, cell] : cells_)
    if (same_name(name, keyword)) return &cell;
  return nullptr;
}

const Cell* Row::given(std::string_view keyword) const {
  const Cell* cell = find(keyword);
  return cell && !cell->is_default() ? cell : nullptr;
}

void Row::set(std::string keyword, Cell cell) {
  std::erase_if(cells_, [&keyword](const auto& other) { return same_name(other.first, keyword); });
  cells_.emplace_back(std::move(keyword), std::move(cell));
}

std::vector<const Section*> SectionFile::all(std::string_view name) const {
  std::vector<const Section*> found_sections;
  for (const Section& section : sections)
    if (same_name(section.name, name)) found_sections.push_back(&section);
  return found_sections;
}

std::string section_text(const SectionFile& file) {
  std::string text;
  for (const Section& section : file.sections) {
    text += ended("Begin " + section.name);
    if (!section.keywords.empty()) text += ended(join(section.keywords));
    for (const Row& row : section.rows) {
      std::string line;
      for (const auto& [keyword, cell] : row.cells())
        if (section.keywords.empty() && !keyword.empty())
          text += ended(keyword + " = " + cell.text);
        else
          line += (line.empty() ? "" : " ") + cell.text;
      if (!line.empty()) text += ended(line);
    }
    text += ended("End " + section.name);
  }
  return text;
}

SectionFile parse_sections(std::string_view text, const std::string& file_name, const SectionSyntax& syntax,
                           Problems& problems) {
  return Parser(syntax, problems).parse(section_lines(text, file_name, syntax, problems));
}

}  // namespace rollcall::conf
