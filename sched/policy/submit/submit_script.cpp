// script   = { line LF }
// line     = "#BSUB" ( END | BLANK words | "-" words )   options; "#BSUB-J x" too, "#BSUBX" and " #BSUB" not
//          | anything else                               the shell's
// words    = { blanks word } [ blanks "#" comment ]
// word     = { letter | "'" ... "'" | '"' { letter | \ letter } '"' | \ letter }
#include "sched/policy/submit/submit_script.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/shell_quote.hpp"
#include "common/base/terminal_text.hpp"
#include "common/conf/words.hpp"

namespace rollcall::sched::submit {
namespace {

constexpr std::string_view kMark = "#BSUB";

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The text after #BSUB, if the line has it.
std::optional<std::string_view> behind_mark(std::string_view line) {
  if (!line.starts_with(kMark)) return std::nullopt;
  line.remove_prefix(kMark.size());
  if (!line.empty() && line[0] != '-' && conf::kBlanks.find(line[0]) == conf::kBlanks.npos)
    return std::nullopt;
  return line;
}

// "" means /bin/sh.
bool bourne_shell(std::string_view interpreter) {
  const std::string_view program = interpreter.substr(0, interpreter.find_first_of(" \t"));
  const std::string_view name = program.substr(program.rfind('/') + 1);
  constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "ksh", "ash", "mksh"};
  return name.empty() || std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

}  // namespace

Result<std::vector<std::string>> option_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, perhaps an empty one: ""
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size() &&
               (text[i + 1] == '"' || text[i + 1] == '\\'))
        word.push_back(text[++i]);
      else
        word.push_back(c);
    } else if (conf::kBlanks.find(c) != conf::kBlanks.npos) {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else if (c == '#' && !inside) {
      break;
    } else {
      inside = true;
      if (c == '"' || c == '\'')
        quote = c;
      else if (c == '\\' && i + 1 < text.size())
        word.push_back(text[++i]);
      else
        word.push_back(c);
    }
  }
  if (quote != 0) return usage_error(std::string("found no closing ") + quote + ", expected one");
  if (inside) words.push_back(std::move(word));
  return words;
}

Result<std::vector<ScriptWords>> bsub_lines(std::string_view script) {
  std::vector<ScriptWords> lines;
  for (int number = 1; !script.empty(); ++number) {
    const auto options = behind_mark(next_line(script));
    if (!options) continue;
    auto words = option_words(*options);
    if (!words) return usage_error("line " + std::to_string(number) + ": " + words.error().text);
    if (!words->empty()) lines.push_back({number, std::move(*words)});
  }
  return lines;
}

bool has_bsub_lines(std::string_view script) {
  std::string_view first;
  for (std::string_view rest = script; !rest.empty() && conf::trim(first).empty();) first = next_line(rest);
  if (!first.starts_with("#!") && !behind_mark(first)) return false;
  while (!script.empty())
    if (behind_mark(next_line(script))) return true;
  return false;
}

std::string script_shell(std::string_view script) {
  while (!script.empty()) {
    const std::string_view line = conf::trim(next_line(script));
    if (line.empty()) continue;
    return line.starts_with("#!") ? std::string(conf::trim(line.substr(2))) : "";
  }
  return "";
}

std::string script_line(std::string_view script) {
  constexpr std::size_t kMost = 4094;  // as LSF's longest command: a script may have much more
  std::string joined;
  while (!script.empty() && joined.size() < kMost) {
    const std::string_view line = next_line(script);
    if (conf::trim(line).empty()) continue;
    if (!joined.empty()) joined += ';';
    joined += line;
  }
  joined.resize(std::min(joined.size(), kMost));
  return terminal_text(joined, Controls::newline_and_tab);  // for display; the job runs the script itself
}

Result<std::string> script_with_words(std::string_view script, const std::vector<std::string>& words) {
  if (words.size() < 2) return std::string(script);
  if (const std::string shell = script_shell(script); !bourne_shell(shell))
    return usage_error("-Zs: found arguments for a script of " + shell +
                       ", expected a script of sh, or no arguments");
  const std::string set = "set -- " + shell_join({words.begin() + 1, words.end()});
  std::size_t begin = script.find_first_not_of(" \t\r\n");
  begin = begin == script.npos ? 0 : script.rfind('\n', begin) + 1;  // npos + 1 is 0: the first line
  std::string result(script.substr(0, begin));
  const std::string_view rest = script.substr(begin);
  if (!rest.starts_with('#')) return result.append(set).append("; ").append(rest);
  return result.append(set).append(rest.substr(std::min(rest.find('\n'), rest.size())));
}

}  // namespace rollcall::sched::submit
