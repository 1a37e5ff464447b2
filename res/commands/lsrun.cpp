// lsrun: runs a command on the best host, or on a named one. lsrun(1).
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "res/commands/commands.hpp"
#include "res/commands/remote_tasks.hpp"
#include "res/policy/launch_options.hpp"

namespace rollcall::res {
namespace {

constexpr const char* kLsrunUsage =
    "usage: lsrun [-L] [-P | -S] [-v] [-m \"HOST ...\"] [-R RES_REQ] COMMAND [ARGUMENT ...]\n"
    "  -m \"HOST ...\"  the best of these hosts\n"
    "  -R RES_REQ     the best host that fits, by its order\n"
    "  -L             through RES even where this host is the best\n"
    "  -P, -S         with a terminal\n"
    "  -v             tells the host\n"
    "  -l             is taken, without effect: the environment is always that of here\n"
    "  -V             prints the version\n"
    "  -h             prints this\n";

int run_here(io::Stage& stage, const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int code = errno == ENOENT ? 127 : 126;
  stage.fail(words.front() + ": " + std::generic_category().message(errno));
  return code;
}

int run_lsrun(io::Stage& stage, const std::vector<std::string>& words) {
  const auto options = parse_lsrun(words);
  if (!options) return stage.fail(options.error().text);
  if (options->help) return std::fputs(kLsrunUsage, stderr), 0;
  if (options->version) return std::fputs((stage.product() + "\n").c_str(), stderr), 0;

  RemoteTasks tasks;
  if (options->hosts.size() == 1 && options->resreq.empty()) {
    tasks.hosts = {official_name(stage, options->hosts.front())};
  } else {
    const auto placed = placed_hosts(stage, options->resreq, options->hosts, 1);
    if (!placed || placed->empty()) return kLsfProblem;
    tasks.hosts = {placed->front()};
  }
  const bool here = tasks.hosts.front() == this_host(stage) && !options->remote;
  if (options->verbose)
    std::fprintf(stderr, "<<Execute %s on %s>>\n", options->words.front().c_str(),
                 here ? "local host" : ("remote host " + tasks.hosts.front()).c_str());
  if (here) return run_here(stage, options->words);
  tasks.task = task_from_here();
  for (const auto& word : options->words) tasks.task.add_words(word);
  tasks.task.set_terminal(options->terminal);
  tasks.input = true;
  return run_remote_tasks(stage, tasks);
}

}  // namespace

io::Command lsrun_command() {
  io::Command command;
  command.shape.name = "lsrun";
  command.run_raw = run_lsrun;
  return command;
}

}  // namespace rollcall::res
