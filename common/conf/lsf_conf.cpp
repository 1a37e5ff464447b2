// The grammar of lsf.conf, as its manual describes it and sites write it:
//
//   file     = { line }                     lines end in LF or CRLF; a UTF-8 mark at the start is skipped
//   line     = [ BLANKS ] [ NAME [ BLANKS ] "=" [ BLANKS ] value ] [ BLANKS ] [ comment ]
//   NAME     = a letter or "_", then letters, digits, "_"
//   value    = words | quoted               an empty value: the parameter counts as not set
//   words    = what stands to the end of the line, blanks inside kept; "#" after a blank begins a comment
//   quoted   = '"' any bytes but '"' '"'  |  "'" any bytes but "'" "'"     then only blanks or a comment
//   comment  = "#" to the end of the line
//
// A backslash as the last byte of a line joins the next line to it (not inside a comment). NUL is refused. A
// quote must end on its (joined) line.
#include "common/conf/lsf_conf.hpp"

#include <algorithm>
#include <vector>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/words.hpp"

namespace rollcall::conf {
namespace {

bool blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

struct Line {
  std::string text;
  int number = 0;  // of its first physical line, from 1
};

bool is_comment(std::string_view line) { return trim_left(line).starts_with('#'); }

// Physical lines with their ends taken off, joined where a backslash says so.
std::vector<Line> lines_of(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<Line> lines;
  bool join = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (join)
      lines.back().text += line;
    else
      lines.push_back({std::string(line), number});
    join = line.ends_with('\\') && !is_comment(lines.back().text);
    if (join) lines.back().text.pop_back();
  }
  return lines;
}

// Where an unquoted value ends: before a comment that a blank goes before (or that begins it).
std::string_view without_comment(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '#' && (at == 0 || blank(text[at - 1]))) return text.substr(0, at);
  return text;
}

struct Pair {
  std::string name;
  std::string value;
};

Error expected(std::string_view found, const char* what) {
  const std::string shown = found.empty() ? "the end of the line" : printable(found);
  return configuration_error("found " + shown + ", expected " + what);
}

Result<std::string> value_of(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('\''))
    return std::string(trim_right(without_comment(text)));
  const std::size_t close = text.find(text.front(), 1);
  if (close == std::string_view::npos) return expected(text, "a closing quote on the same line");
  const std::string_view after = text.substr(close + 1);
  const std::string_view rest = trim_left(after);
  // A comment needs its blank here too: "a"#b is more likely a slip than a comment.
  if (!rest.empty() && (rest.front() != '#' || rest.size() == after.size()))
    return expected(rest, "nothing after the closing quote");
  return std::string(text.substr(1, close - 1));
}

// A line that is neither empty nor a comment.
Result<Pair> pair_of(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return expected(line, "a line of text without NUL bytes");
  if (!letter(line.front())) return expected(line, "NAME=VALUE, a comment or an empty line");
  const auto name_end =
      std::find_if_not(line.begin(), line.end(), [](char c) { return letter(c) || digit(c); });
  const auto name = line.substr(0, static_cast<std::size_t>(name_end - line.begin()));
  const std::string_view rest = trim_left(line.substr(name.size()));
  if (!rest.starts_with('=')) return expected(rest, ("'=' after " + std::string(name)).c_str());
  auto value = value_of(trim_left(rest.substr(1)));
  if (!value) return value.error();
  return Pair{std::string(name), std::move(*value)};
}

// A value with both kinds of quotes was read as unquoted words, so it is written so. The added blank keeps a trailing backslash
// from joining the next line.
std::string quoted(const std::string& value) {
  if (value.find('"') != std::string::npos && value.find('\'') != std::string::npos) return value + " ";
  const char quote = value.find('"') == std::string::npos ? '"' : '\'';
  return quote + value + quote;
}

// True for a malformed line whose parameter names a port, key, directory or master. Such a line is fatal: with the default
// instead, daemons would not find one another, or would open an empty store.
bool tells_a_place(std::string_view line) {
  constexpr std::string_view kPlaces[] = {
      "LSB_SHAREDIR",  "LSF_CONFDIR", "LSB_CONFDIR",     "LSF_LIM_PORT", "LSB_MBD_PORT",    "LSF_RES_PORT",
      "LSF_SERVERDIR", "ROLLCALL_",   "LSF_MASTER_LIST", "LSF_LOGDIR",   "LSF_CLUSTER_NAME"};
  return std::any_of(std::begin(kPlaces), std::end(kPlaces),
                     [line](std::string_view name) { return line.starts_with(name); });
}

// The tail of the error line: "; broken too: lines 4, 9 and 3 more".
std::string broken_too(const std::vector<int>& lines) {
  constexpr std::size_t kShown = 5;
  if (lines.empty()) return "";
  std::string text = lines.size() == 1 ? "; broken too: line " : "; broken too: lines ";
  for (std::size_t i = 0; i < lines.size() && i < kShown; ++i)
    text += (i ? ", " : "") + std::to_string(lines[i]);
  if (lines.size() > kShown) text += " and " + std::to_string(lines.size() - kShown) + " more";
  return text;
}

}  // namespace

Place setting_place(const Setting& setting) {
  const std::size_t colon = setting.where.rfind(':');
  if (colon == std::string::npos) return {setting.where, 0};
  const auto line = parse_whole(std::string_view(setting.where).substr(colon + 1), 0, kMaxSeconds);
  return line ? Place{setting.where.substr(0, colon), *line} : Place{setting.where, 0};
}

LsfConf LsfConf::parse(std::string_view text, const std::string& file_name, Problems& problems) {
  LsfConf conf;
  for (const Line& line : lines_of(text)) {
    const std::string_view content = trim_left(line.text);
    if (content.empty() || content.front() == '#') continue;
    const Place place{file_name, line.number};
    auto pair = pair_of(content);
    if (pair) {
      Setting& setting = conf.settings_[pair->name];
      if (!setting.where.empty() && setting.value != pair->value)
        problems.warning(setting_place(setting), pair->name + ": found " + printable(setting.value) +
                                                     ", expected " + pair->name + " once; line " +
                                                     std::to_string(place.line) + " counts");
      setting = {std::move(pair->value), place.text()};
    } else if (tells_a_place(content))
      problems.fatal(place, pair.error().text);
    else
      problems.error(place, pair.error().text);
  }
  return conf;
}

Result<LsfConf> LsfConf::parse(std::string_view text, const std::string& file_name) {
  Problems problems;
  LsfConf conf = parse(text, file_name, problems);
  const Problem* first = nullptr;
  std::vector<int> also_broken;
  for (const Problem& problem : problems.all()) {
    if (problem.kind == Problem::Kind::warning) continue;
    if (first != nullptr) also_broken.push_back(problem.place.line);
    if (first == nullptr) first = &problem;
  }
  return first == nullptr ? Result<LsfConf>(std::move(conf))
                          : configuration_error(first->line() + broken_too(also_broken));
}

const Setting* LsfConf::find(std::string_view name) const {
  const auto found = settings_.find(name);
  return found == settings_.end() || found->second.value.empty() ? nullptr : &found->second;
}

std::string LsfConf::value(std::string_view name) const {
  const Setting* setting = find(name);
  return setting ? setting->value : "";
}

std::string LsfConf::text() const {
  std::string text;
  for (const auto& [name, setting] : settings_) text += name + "=" + quoted(setting.value) + "\n";
  return text;
}

}  // namespace rollcall::conf
