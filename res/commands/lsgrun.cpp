// lsgrun: runs a command on a group of hosts. lsgrun(1).
#include <cstdio>

#include "common/conf/words.hpp"
#include "common/io/read_file.hpp"
#include "res/commands/commands.hpp"
#include "res/commands/remote_tasks.hpp"
#include "res/policy/launch_options.hpp"

namespace rollcall::res {
namespace {

constexpr const char* kLsgrunUsage =
    "usage: lsgrun [-i] [-n] [-p] [-P | -S] [-v] [-f HOST_FILE | -m \"HOST ...\" | -R RES_REQ] COMMAND "
    "[ARGUMENT ...]\n"
    "On all hosts that are up, or\n"
    "  -f HOST_FILE   on the hosts in this file, one on each line\n"
    "  -m \"HOST ...\"  on these hosts\n"
    "  -R RES_REQ     on every host that fits\n"
    "  -p             on all at once; else one behind the other\n"
    "  -i             asks for each host\n"
    "  -n             do not read standard input\n"
    "  -P, -S         with a terminal\n"
    "  -v             tells each host\n"
    "  -V             prints the version\n"
    "  -h             prints this\n";

// Returns nullopt after printing the reason.
std::optional<std::vector<std::string>> hosts_of(io::Stage& stage, const LsgrunOptions& options) {
  if (!options.resreq.empty()) return placed_hosts(stage, options.resreq, {}, 0);
  if (options.hosts.empty() && options.host_file.empty()) return hosts_that_are_up(stage);
  std::vector<std::string> hosts = options.hosts;
  if (!options.host_file.empty()) {
    const auto text = io::read_file(options.host_file);
    if (!text) return stage.fail("-f: " + options.host_file + ": " + text.error().message()), std::nullopt;
    hosts = hosts_of_file(*text);
  }
  for (auto& host : hosts) host = official_name(stage, host);
  return hosts;
}

std::vector<std::string> chosen(const std::vector<std::string>& hosts) {
  std::vector<std::string> kept;
  for (const auto& host : hosts) {
    std::fprintf(stderr, "Execute on %s? [y/n] ", host.c_str());
    const auto answer = io::Stage::read_line();
    if (!answer) break;
    if (answer->starts_with('y') || answer->starts_with('Y')) kept.push_back(host);
  }
  return kept;
}

int run_lsgrun(io::Stage& stage, const std::vector<std::string>& words) {
  const auto options = parse_lsgrun(words);
  if (!options) return stage.fail(options.error().text);
  if (options->help) return std::fputs(kLsgrunUsage, stderr), 0;
  if (options->version) return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  auto hosts = hosts_of(stage, *options);
  if (!hosts) return kLsfProblem;
  if (options->ask) hosts = chosen(*hosts);

  RemoteTasks tasks;
  tasks.task = task_from_here();
  for (const auto& word : options->words) tasks.task.add_words(word);
  tasks.task.set_terminal(options->terminal);
  tasks.input = !options->no_input && !options->ask && hosts->size() == 1;
  const auto announce = [&](const std::string& host) {
    if (!options->verbose) return;
    stage.print("<<Executing " + conf::join(options->words) + " on " + host + ">>\n");
  };
  if (options->parallel) {
    for (const auto& host : *hosts) announce(host);
    tasks.hosts = std::move(*hosts);
    return run_remote_tasks(stage, tasks);
  }
  int status = 0;
  for (const auto& host : *hosts) {
    announce(host);
    tasks.hosts = {host};
    const int own = run_remote_tasks(stage, tasks);
    if (status == 0) status = own;
    ++tasks.first_task;
  }
  return status;
}

}  // namespace

io::Command lsgrun_command() {
  io::Command command;
  command.shape.name = "lsgrun";
  command.run_raw = run_lsgrun;
  return command;
}

}  // namespace rollcall::res
