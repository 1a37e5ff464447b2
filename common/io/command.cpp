#include "common/io/command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "common/base/terminal_text.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/conf/malformed_lines.hpp"
#include "common/io/config_source.hpp"

namespace rollcall::io {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Without a number in it: programs that merge both streams take the first one for the job's.
void warn_of_malformed_lines(const Stage& stage, const conf::FileSources& sources) {
  if (!conf::malformed_lines(sources).empty())
    stage.fail(
        "warning: lsf.conf has lines that are not NAME=VALUE: they are ignored (badmin ckconfig shows them)");
}

int run_command(Command command, const std::string& product, std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--help") words.front() = "-h";
  if (!words.empty() && words.front() == "--version") words.front() = "-V";
  Stage stage(command.shape.name, product);
  if (command.run_raw) {
    const int status = command.run_raw(stage, words);
    return stage.output_failed() ? kFailed : status;
  }
  auto& options = command.shape.options;
  options.push_back({"-h", CommandOption::Value::none, "print this and end"});
  options.push_back({"-V", CommandOption::Value::none, "print the version and end"});
  const auto parsed = CommandWords::parse(command.shape, words);
  if (!parsed) return stage.fail(parsed.error().text);
  if (parsed->has("-h")) return std::fputs(usage_text(command.shape).c_str(), stderr), 0;
  if (parsed->has("-V")) return std::fputs((product + "\n").c_str(), stderr), 0;
  const int status = command.run(stage, *parsed);
  return stage.output_failed() ? kFailed : status;
}

int dispatch(std::vector<Command> commands, const std::string& product, const std::string& name,
             const std::vector<std::string>& words) {
  std::string names;
  for (auto& command : commands) {
    if (command.shape.name == name) return run_command(std::move(command), product, words);
    names += " " + command.shape.name;
  }
  std::fprintf(stderr, "%s: found this name, expected one of%s\n", name.c_str(), names.c_str());
  return kFailed;
}

}  // namespace

void print_error_line(const std::string& line) {
  std::fprintf(stderr, "%s\n", terminal_text(line, Controls::newline_and_tab).c_str());
}

const conf::ClusterFiles& Stage::files() {
  if (files_) return *files_;
  const auto sources = real_file_sources();
  auto checked = conf::read_cluster_files(sources);
  if (checked.files) {
    if (!to_ask_) warn_of_malformed_lines(*this, sources);
    return files_.emplace(std::move(*checked.files));
  }
  auto partial = conf::read_files_to_ask(sources);
  if (!partial) {
    for (const auto& problem : checked.problems.all())
      if (problem.kind == conf::Problem::Kind::fatal) fail(problem.line());
    std::exit(kFailed);
  }
  if (!to_ask_) warn_of_malformed_lines(*this, sources);
  partial->candidates.clear();  // ask this host alone; it knows the master
  // mbatchd is on the first candidate, which lsf.cluster may still tell.
  if (partial->settings.master_list.empty() && checked.rest) partial->candidates = checked.rest->candidates;
  fail(
      "warning: the configuration files have errors (lsadmin ckconfig shows them); the daemons are asked "
      "all the same");
  return files_.emplace(std::move(*partial));
}

const conf::ClusterFiles& Stage::files_to_ask() {
  if (files_) return *files_;
  if (to_ask_) return *to_ask_;
  const auto sources = real_file_sources();
  auto found = conf::read_files_to_ask(sources);
  const bool enough = found && (!found->candidates.empty() || !conf::named_mbd_host(*found).empty());
  if (!enough) return files();
  warn_of_malformed_lines(*this, sources);
  return to_ask_.emplace(std::move(*found));
}

int Stage::fail(const std::string& text) const {
  print_error_line(command_ + ": " + text);
  return kFailed;
}

int Stage::print(const std::string& text) {
  const bool harmless = find_control(text, Controls::newline_and_tab) == text.npos;
  return print_raw(harmless ? text : terminal_text(text, Controls::newline_and_tab));
}

int Stage::print_raw(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
  if (std::exchange(output_failed_, true)) return kFailed;
  return fail("standard output: cannot write to it: " + std::generic_category().message(errno));
}

std::optional<std::string> Stage::read_line() {
  char* text = nullptr;
  std::size_t room = 0;
  const ssize_t size = getline(&text, &room, stdin);
  std::optional<std::string> line;
  if (size > 0) line.emplace(text, static_cast<std::size_t>(size - (text[size - 1] == '\n' ? 1 : 0)));
  std::free(text);
  return line;
}

int run_commands(const std::string& program, const std::string& product, std::vector<Command> commands,
                 int argc, char** argv) {
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    std::string name = argc > 0 ? base_name(argv[0]) : "";
    if (name == program && !words.empty()) {
      name = words.front();
      words.erase(words.begin());
    }
    return dispatch(std::move(commands), product, name, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return kFailed;
  }
}

}  // namespace rollcall::io
