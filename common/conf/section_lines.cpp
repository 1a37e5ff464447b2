// The lines of a section file:
//
//   file      = { line }                    lines end in LF or CRLF; a UTF-8 mark at the start is skipped; no NUL
//   line      = directive | text [ comment ] | comment
//   comment   = "#" to the end of the line, wherever it stands but inside quotes
//   quotes    = '"' ... '"' | "'" ... "'"   an apostrophe inside a word ("don't") opens none; a quote that never closes
//                                           is a character like others
//   directive = "#INCLUDE" '"' path '"'     the lines of that file; a relative path starts where this file is
//             | "#if" condition | "#elif" condition | "#else" | "#endif"
//   condition = "time(" { window } [ zone ] { window { window } [ zone ] } ")"
//                                           a zone (EDT, Europe/Rome) is that of the windows before it; see time_windows.hpp
//
// A "\" at the end of a line, also with blanks behind it, joins the next line to it, except in a comment. Whole lines of comment
// between joined lines are skipped, inside quotes too. The case of a directive does not matter. A line that only begins like a
// directive ("#if you want") is a comment.
#include "common/conf/section_lines.hpp"

#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

// The depth stops a file that includes itself, the count one that includes two files at each level.
constexpr std::size_t kDeepestInclude = 16;
constexpr int kMostIncludes = 1000;

struct Condition {
  Place place;             // of its #if
  bool taken = false;      // a branch of it has held
  bool holds = false;      // the branch we are in
  bool otherwise = false;  // after #else
};

std::vector<std::string_view> physical_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

bool continues(std::string_view line) { return trim_right(line).ends_with('\\'); }

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// "#NAME rest": the rest; nothing where the line is not that directive.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
  if (line.size() < name.size() || !same_name(line.substr(0, name.size()), name)) return std::nullopt;
  const std::string_view rest = line.substr(name.size());
  if (!rest.empty() && in_word(rest.front())) return std::nullopt;
  return trim(rest);
}

// "time ( ... )": what is inside; nothing where the words are no condition.
std::optional<std::string_view> condition_text(std::string_view rest) {
  if (rest.size() < 4 || !same_name(rest.substr(0, 4), "time")) return std::nullopt;
  rest = trim_left(rest.substr(4));
  if (!rest.starts_with('(')) return std::nullopt;
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view after = trim_left(rest.substr(close + 1));
  if (!after.empty() && after.front() != '#') return std::nullopt;
  return rest.substr(1, close - 1);
}

class LineReader {
 public:
  LineReader(const SectionSyntax& syntax, Problems& problems) : syntax_(syntax), problems_(problems) {}

  void read(std::string_view text, const std::string& file);
  std::vector<SectionLine> take() { return std::move(lines_); }

 private:
  // One file's worth of state.
  struct File {
    std::vector<std::string_view> lines;
    std::size_t at = 0;  // the line that is read
    std::vector<Condition> conditions;
    SectionLine joined;    // what continued lines have given so far
    bool joining = false;  // the line before ended in a backslash
    char quote = 0;        // the quote that is open over a line's end
  };

  bool take_directive(File& file, std::string_view line, const Place& place);
  void include(std::string_view rest, const Place& place);
  void branch(File& file, std::string_view name, std::string_view condition, const Place& place);
  bool holds(std::string_view condition, const Place& place);
  bool append(File& file);
  bool closes(const File& file, std::string_view rest, char quote) const;
  void finish(File& file);

  const SectionSyntax& syntax_;
  Problems& problems_;
  std::vector<SectionLine> lines_;
  std::vector<std::string> open_files_;
  int includes_ = 0;
};

void LineReader::read(std::string_view text, const std::string& name) {
  open_files_.push_back(name);
  File file;
  file.lines = physical_lines(text);
  for (; file.at < file.lines.size(); ++file.at) {
    const std::string_view line = trim(file.lines[file.at]);
    const Place place{name, static_cast<int>(file.at) + 1};
    if (!file.quote && take_directive(file, line, place)) continue;
    const auto skipped = [](const Condition& condition) { return !condition.holds; };
    if (std::any_of(file.conditions.begin(), file.conditions.end(), skipped)) continue;
    if (line.find('\0') != std::string_view::npos) {
      problems_.error(place, "found " + printable(line) + ", expected a line of text without NUL bytes");
      continue;
    }
    if (!file.joining) file.joined.place = place;
    if (file.joining && line.starts_with('#')) continue;
    file.joining = append(file);
    if (!file.joining) finish(file);
  }
  finish(file);
  for (const Condition& condition : file.conditions)
    problems_.error(condition.place, "found no #endif for this #if, expected one in the same file");
  open_files_.pop_back();
}

// True where the line is a directive, whether it could be carried out or not.
bool LineReader::take_directive(File& file, std::string_view line, const Place& place) {
  if (!line.starts_with('#')) return false;
  if (const auto rest = directive(line, "#include"); rest && rest->starts_with('"')) {
    if (std::all_of(file.conditions.begin(), file.conditions.end(),
                    [](const Condition& condition) { return condition.holds; }))
      include(*rest, place);
    return true;
  }
  for (const std::string_view name : {"#if", "#elif"})
    if (const auto rest = directive(line, name))
      if (const auto condition = condition_text(*rest)) return branch(file, name, *condition, place), true;
  for (const std::string_view name : {"#else", "#endif"})
    if (const auto rest = directive(line, name); rest && (rest->empty() || rest->starts_with('#')))
      return branch(file, name, {}, place), true;
  return false;
}

void LineReader::include(std::string_view rest, const Place& place) {
  const std::size_t close = rest.find('"', 1);
  if (close == std::string_view::npos || close == 1) {
    problems_.error(place, "found " + printable(rest) + ", expected #INCLUDE \"path\"");
    return;
  }
  std::string path(rest.substr(1, close - 1));
  const std::size_t slash = place.file.rfind('/');
  if (path.front() != '/' && slash != std::string::npos) path = place.file.substr(0, slash + 1) + path;
  if (std::find(open_files_.begin(), open_files_.end(), path) != open_files_.end() ||
      open_files_.size() > kDeepestInclude || ++includes_ > kMostIncludes) {
    problems_.error(place, "found #INCLUDE of " + printable(path) +
                               ", which includes itself or too many, expected files without a loop");
    return;
  }
  if (!syntax_.include) {
    problems_.error(place, "found #INCLUDE, expected a file that includes no other");
    return;
  }
  const auto text = syntax_.include(path);
  if (text)
    read(*text, path);
  else
    problems_.error(
        place, "found #INCLUDE of a file that cannot be read, expected one that can: " + text.error().text);
}

void LineReader::branch(File& file, std::string_view name, std::string_view condition, const Place& place) {
  auto& open = file.conditions;
  if (name == "#if") {
    const bool value = holds(condition, place);
    open.push_back({.place = place, .taken = value, .holds = value});
    return;
  }
  if (open.empty() || (open.back().otherwise && name != "#endif")) {
    problems_.error(place, "found " + std::string(name) + ", expected " +
                               (open.empty() ? "an #if time() before it" : "#endif after #else"));
    return;
  }
  if (name == "#endif") return open.pop_back();
  Condition& current = open.back();
  current.otherwise = name == "#else";
  const bool value = current.otherwise || holds(condition, place);
  current.holds = value && !current.taken;
  current.taken |= value;
}

// Checks a condition also in a branch that is not taken: it may be taken at another hour.
bool LineReader::holds(std::string_view condition, const Place& place) {
  std::vector<std::pair<std::string, std::string>> groups{{"", ""}};  // windows, zone
  for (const std::string& word : split_words(condition)) {
    if (in_word(word.front()) && !(word.front() >= '0' && word.front() <= '9')) {
      groups.back().second = word;
      groups.emplace_back();
    } else {
      groups.back().first += (groups.back().first.empty() ? "" : " ") + word;
    }
  }
  if (groups.size() > 1 && groups.back().first.empty()) groups.pop_back();
  TimeCondition known;
  for (const auto& [text, zone] : groups) {
    const auto windows = TimeWindows::parse(text);
    const auto now = syntax_.time ? syntax_.time(zone) : std::nullopt;
    if (!windows)
      problems_.error(place, windows.error().text);
    else if (windows->empty())
      problems_.error(place,
                      "found no time window in time(), expected [day:]hour[:minute]-[day:]hour[:minute]");
    else if (!syntax_.time)
      problems_.error(place, "found #if time(), expected a file that is the same at all times");
    else if (!now)
      problems_.error(place, "found the time zone " + printable(zone) + ", expected one this host knows");
    else
      known.windows.emplace_back(*windows, zone);
  }
  const bool holds = known.holds(syntax_.time);
  if (syntax_.decided) syntax_.decided(known, holds);
  return holds;
}

// True where the quote closes later: on this line, or on one that is joined to it.
bool LineReader::closes(const File& file, std::string_view rest, char quote) const {
  std::size_t at = file.at;
  for (;;) {
    if (rest.find(quote) != std::string_view::npos) return true;
    if (!continues(rest)) return false;
    do  // skip lines of comment between joined lines
      if (++at >= file.lines.size()) return false;
    while (trim(file.lines[at]).starts_with('#'));
    rest = file.lines[at];
  }
}

// Appends the line without its comment. True where the next line is joined to it.
bool LineReader::append(File& file) {
  const std::string_view line = file.lines[file.at];
  std::string& text = file.joined.text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (file.quote) {
      if (c == file.quote) file.quote = 0;
    } else if (c == '#') {
      return false;
    } else if (c == '"' || (c == '\'' && (text.empty() || !in_word(text.back())))) {
      if (closes(file, line.substr(i + 1), c)) file.quote = c;
    }
    text += c;
  }
  if (!continues(line)) {
    file.quote = 0;
    return false;
  }
  text.erase(text.find_last_of('\\'));
  return true;
}

void LineReader::finish(File& file) {
  const std::string_view text = trim(file.joined.text);
  if (!text.empty()) lines_.push_back({std::string(text), file.joined.place});
  file.joined.text.clear();
  file.quote = 0;
}

}  // namespace

bool TimeCondition::holds(const TimeIn& time) const {
  return std::any_of(windows.begin(), windows.end(), [&time](const auto& window) {
    const auto now = time ? time(window.second) : std::nullopt;
    return now && window.first.open({now->day, now->minute});
  });
}

std::vector<SectionLine> section_lines(std::string_view text, const std::string& file_name,
                                       const SectionSyntax& syntax, Problems& problems) {
  LineReader reader(syntax, problems);
  reader.read(text, file_name);
  return reader.take();
}

}  // namespace rollcall::conf
