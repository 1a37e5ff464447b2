// first line = "#!" blank* word ( blank+ word )*
#include "res/policy/process_plan.hpp"

#include <algorithm>
#include <array>

#include "common/base/shell_quote.hpp"

namespace rollcall::res {
namespace {

constexpr std::string_view kTrapLine = "$LSB_TRAPSIGS";

// zsh is missing here: it does not split the result of an expansion into words.
bool reads_trap_line(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  constexpr std::array<std::string_view, 6> shells{"sh", "bash", "dash", "ksh", "ash", "mksh"};
  return std::find(shells.begin(), shells.end(), name) != shells.end();
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string with_trap_line(std::string_view script) {
  const std::size_t end = std::min(script.find('\n'), script.size());
  const std::string_view first = script.substr(0, end);
  const std::size_t text = first.find_first_not_of(" \t\r");
  const bool comment = text == first.npos || first[text] == '#';
  if (comment) return std::string(kTrapLine).append(script.substr(end));
  return std::string(kTrapLine).append("; ").append(script);
}

std::vector<std::string> shell_words(const wire::Submission& asked) {
  if (asked.login_shell().empty()) return {"/bin/sh"};
  std::vector<std::string> words{asked.login_shell()};
  if (reads_trap_line(words.front())) words.emplace_back("-l");
  return words;
}

std::vector<std::string> joined(std::vector<std::string> words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> run_line(const wire::Submission& asked, const std::string& line) {
  auto shell = shell_words(asked);
  const bool traps = reads_trap_line(shell.front());
  return joined(std::move(shell), {"-c", traps ? std::string(kTrapLine) + "\n" + line : line});
}

}  // namespace

std::vector<std::string> interpreter_of(std::string_view script) {
  const std::size_t at = script.find_first_not_of(" \t\r\n");
  if (at == script.npos || script.substr(at, 2) != "#!") return {};
  const std::string_view rest = script.substr(at + 2);
  return words_of(rest.substr(0, std::min(rest.find('\n'), rest.size())));
}

std::string with_starter(std::string_view starter, std::string_view command) {
  constexpr std::string_view kMark = "%USRCMD";
  std::string result(starter);
  const std::size_t at = result.find(kMark);
  if (at == result.npos) return result.append(" ").append(command);
  // The manual writes the mark in quotes: they stay, and the shell removes them.
  return result.replace(at, kMark.size(), command);
}

ProcessPlan job_process(const wire::ToRes::StartJob& start, const std::string& script_path) {
  const auto& asked = start.submission();
  if (asked.script().empty()) {
    const std::string line =
        start.job_starter().empty() ? asked.command() : with_starter(start.job_starter(), asked.command());
    return {run_line(asked, line), std::nullopt};
  }
  auto words = interpreter_of(asked.script());
  if (words.empty()) words = asked.shell().empty() ? shell_words(asked) : words_of(asked.shell());
  const bool traps = reads_trap_line(words.front());
  const std::string script = traps ? with_trap_line(asked.script()) : asked.script();
  words.push_back(script_path);
  if (!start.job_starter().empty())
    return {run_line(asked, with_starter(start.job_starter(), shell_join(words))), script};
  if (traps) return {words, script};
  // Any other interpreter runs below a shell with the trap line, which survives the signals.
  std::vector<std::string> above{"/bin/sh", "-c", std::string(kTrapLine).append("\n\"$@\""), "sh"};
  above.insert(above.end(), words.begin(), words.end());
  return {above, script};
}

std::vector<std::string> hook_words(std::string_view command) {
  return {"/bin/sh", "-c", std::string(command)};
}

}  // namespace rollcall::res
