// lsadmin's subcommands for daemons.
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <system_error>
#include <thread>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/base/shell_quote.hpp"
#include "common/io/program_place.hpp"
#include "common/io/spawn.hpp"
#include "common/io/lim_client.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/lsadmin.hpp"

namespace rollcall::elim {
namespace {

using Control = wire::Request::Control;
using Value = CommandOption::Value;

constexpr int kMostSeconds = 1'000'000'000;

struct Hosts {
  std::vector<std::string> names;  // official
  bool all = false;
};

// `words`: none (this host), "all", or host names.
Result<Hosts> hosts_of(const conf::ClusterFiles& files, const Words& words) {
  Hosts hosts;
  for (const auto& word : words) hosts.all = hosts.all || word == "all";
  if (hosts.all) {
    for (const auto& host : files.cluster.hosts)
      if (host.server) hosts.names.push_back(host.name);
    return hosts;
  }
  for (const auto& word : words.empty() ? Words{this_host(files)} : words) {
    auto official = files.names.official(word);
    if (!official && files.cluster.hosts.empty()) official = word;  // files with errors: nobody knows better
    if (!official)
      return usage_error("found the host " + printable(word) + ", expected one of cluster " +
                         files.cluster.name);
    hosts.names.push_back(*official);
  }
  return hosts;
}

bool agreed(io::Stage& stage, const std::string& question) {
  stage.print(question + " [y/n] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// "TITLE on <host> ...... done", or what went wrong.
int tell_each(io::Stage& stage, const std::string& title, const Hosts& hosts,
              const std::function<std::string(const std::string& host)>& act) {
  int status = 0;
  for (const auto& host : hosts.names) {
    stage.print(title + " <" + host + "> ...... ");
    const std::string trouble = act(host);
    stage.print((trouble.empty() ? "done" : trouble) + "\n");
    if (!trouble.empty()) status = io::kFailed;
  }
  return status;
}

// "" or why LIM there did not do it.
std::string control(io::Stage& stage, const std::string& host, const Control& order) {
  wire::Request request;
  *request.mutable_control() = order;
  const io::Answer answer = io::LimClient(stage.files()).ask_host(host, request);
  return answer.error ? answer.error->text : "";
}

int control_each(io::Stage& stage, const std::string& title, const Hosts& hosts, Control::Action action) {
  Control order;
  order.set_action(action);
  return tell_each(stage, title, hosts, [&](const std::string& host) { return control(stage, host, order); });
}

constexpr std::chrono::seconds kToComeBack{20};

// "" once LIM there answers anew, so that "done" is true.
std::string answers_again(io::Stage& stage, const std::string& host) {
  wire::Request request;
  request.mutable_identity();
  const auto deadline = std::chrono::steady_clock::now() + kToComeBack;
  while (true) {
    const io::Answer answer = io::LimClient(stage.files()).ask_host(host, request);
    if (!answer.error) return "";
    if (std::chrono::steady_clock::now() > deadline) return answer.error->text;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

int run_program(const std::vector<std::string>& argv) {
  io::SpawnPlan plan;
  plan.argv = argv;
  sigemptyset(&plan.mask);
  const auto started = io::spawn(plan);
  if (const auto* error = std::get_if<io::SpawnError>(&started)) return io::exit_code_of(*error);
  int status = 0;
  while (waitpid(std::get<pid_t>(started), &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// lsf_daemons start lim: here, or through LSF_RSH on another host, where it must lie at the same path.
std::string start_on(io::Stage& stage, const std::string& host) {
  const auto& files = stage.files();
  const std::string program = io::program_directory() + "/lsf_daemons";
  const std::string setting = "LSF_ENVDIR=" + files.settings.env_dir;
  std::vector<std::string> argv{"env", setting, program, "start", "lim"};
  if (host != this_host(files)) {
    // The shell there takes the words apart again.
    const std::string there = "env " + shell_quote(setting) + " " + shell_quote(program) + " start lim";
    const std::string agent = files.lsf_conf.value("LSF_RSH");
    argv = {"/bin/sh", "-c",
            (agent.empty() ? "ssh" : agent) + " " + shell_quote(host) + " " + shell_quote(there)};
  }
  const int code = run_program(argv);
  return code == 0 ? "" : "failed: " + program + " ended with status " + std::to_string(code);
}

struct Given {
  Hosts hosts;
  bool force = false, verbose = false;
};

Result<Given> given(io::Stage& stage, const Words& words) {
  const CommandShape shape{"lsadmin",
                           "",
                           {{"-f", Value::none, "ask nothing"}, {"-v", Value::none, "say more"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return parsed.error();
  const auto hosts = hosts_of(stage.files(), parsed->operands());
  if (!hosts) return hosts.error();
  return Given{*hosts, parsed->has("-f"), parsed->has("-v")};
}

}  // namespace

int reconfig(io::Stage& stage, const Words& words) {
  const auto what = given(stage, words);
  if (!what) return stage.fail(what.error().text);
  if (!check_configuration(stage, what->verbose)) return io::kFailed;
  if (!what->force && !agreed(stage, "Do you really want to restart LIMs on all hosts?")) return 0;
  return control_each(stage, "Restart LIM on", *hosts_of(stage.files(), {"all"}), Control::RECONFIG);
}

int limstartup(io::Stage& stage, const Words& words) {
  const auto what = given(stage, words);
  if (!what) return stage.fail(what.error().text);
  if (what->hosts.all && !what->force && !agreed(stage, "Do you really want to start up LIM on all hosts?"))
    return 0;
  return tell_each(stage, "Starting up LIM on", what->hosts,
                   [&stage](const std::string& host) { return start_on(stage, host); });
}

int limshutdown(io::Stage& stage, const Words& words) {
  const auto what = given(stage, words);
  if (!what) return stage.fail(what.error().text);
  if (what->hosts.all && !what->force && !agreed(stage, "Do you really want to shut down LIMs on all hosts?"))
    return 0;
  return control_each(stage, "Shut down LIM on", what->hosts, Control::SHUTDOWN);
}

int limrestart(io::Stage& stage, const Words& words) {
  const auto what = given(stage, words);
  if (!what) return stage.fail(what.error().text);
  if (!check_configuration(stage, what->verbose)) return io::kFailed;
  if (what->hosts.all && !what->force && !agreed(stage, "Do you really want to restart LIMs on all hosts?"))
    return 0;
  Control order;
  order.set_action(Control::RESTART);
  return tell_each(stage, "Restart LIM on", what->hosts, [&](const std::string& host) {
    const std::string trouble = control(stage, host, order);
    return trouble.empty() ? answers_again(stage, host) : trouble;
  });
}

int limlock(io::Stage& stage, const Words& words) {
  const CommandShape shape{"lsadmin limlock",
                           "",
                           {{"-l", Value::required, "SECONDS how long"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return stage.fail(parsed.error().text);
  const auto seconds = parse_whole(parsed->value("-l").value_or("0"), 0, kMostSeconds);
  if (!seconds || !parsed->operands().empty())
    return stage.fail("limlock: found other words, expected nothing or -l with whole seconds");
  Control order;
  order.set_action(Control::LOCK);
  order.set_seconds(static_cast<unsigned>(*seconds));
  const std::string trouble = control(stage, this_host(stage.files()), order);
  return trouble.empty() ? stage.print("Host is locked\n") : stage.fail(trouble);
}

int limunlock(io::Stage& stage, const Words& words) {
  if (!words.empty())
    return stage.fail("limunlock: found " + printable(words.front()) + ", expected nothing");
  Control order;
  order.set_action(Control::UNLOCK);
  const std::string trouble = control(stage, this_host(stage.files()), order);
  return trouble.empty() ? stage.print("Host is unlocked\n") : stage.fail(trouble);
}

int limdebug(io::Stage& stage, const Words& words) {
  const CommandShape shape{"lsadmin limdebug",
                           "",
                           {{"-l", Value::required, "LEVEL 1 to 3"}, {"-o", Value::none, "as usual"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return stage.fail(parsed.error().text);
  const auto level = parse_whole(parsed->value("-l").value_or("1"), 0, 3);
  if (!level) return stage.fail("limdebug -l: found " + *parsed->value("-l") + ", expected 0 to 3");
  const auto hosts = hosts_of(stage.files(), parsed->operands());
  if (!hosts) return stage.fail(hosts.error().text);
  Control order;
  order.set_action(Control::DEBUG);
  order.set_text(parsed->has("-o") || *level == 0 ? "usual" : "debug");
  return tell_each(stage, "Set the log level of LIM on", *hosts,
                   [&](const std::string& host) { return control(stage, host, order); });
}

}  // namespace rollcall::elim
