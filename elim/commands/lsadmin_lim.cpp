// lsadmin's subcommands for daemons.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <set>
#include <thread>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/io/at_once.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/hosts_down.hpp"
#include "common/io/lim_client.hpp"
#include "common/io/res_client.hpp"
#include "common/io/start_daemon.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/lsadmin.hpp"
#include "elim/policy/show/show_admin.hpp"

namespace rollcall::elim {
namespace {

using Control = wire::Request::Control;
using Value = CommandOption::Value;

constexpr int kMostSeconds = 1'000'000'000;
// For each host: to accept, and to answer.
constexpr std::chrono::milliseconds kPatience{5000};

struct Hosts {
  std::vector<std::string> names;  // official
  bool all = false;
};

// `words`: none (this host), "all", or host names. It reads all of lsf.cluster, even for one host: only the whole Host section
// resolves an alias or a short name, which may be ambiguous. LIM refuses an order for another host by the same rule.
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
    if (!official && files.cluster.hosts.empty())
      official = word;  // files with errors: take the word as it is
    if (!official)
      return usage_error("found the host " + printable(word) + ", expected one of cluster " +
                         files.cluster.name);
    hosts.names.push_back(*official);
  }
  return hosts;
}

// Asks the user. An error that names -f where no answer can be had.
Result<bool> agreed(const Admin& admin, const std::string& question) {
  if (admin.json) return usage_error(admin.subcommand + " -json: asks nothing, expected -f as well");
  admin.stage.print(question + " [y/n] ");
  std::string answer;
  if (!std::getline(std::cin, answer)) {
    admin.stage.print("\n");
    return usage_error(admin.subcommand +
                       ": the input ended before an answer; nothing was done (-f asks nothing)");
  }
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Runs it for each host, several at a time, and reports in the order of `hosts`: "TITLE <host> ...... done", or the error.
int tell_each(const Admin& admin, const std::string& title, const Hosts& hosts,
              const std::function<std::string(const std::string& host)>& act) {
  std::vector<show::HostOutcome> outcomes(hosts.names.size());
  int status = 0;
  io::at_once(
      hosts.names.size(), io::kHostsAtOnce,
      [&](std::size_t i) {
        outcomes[i] = {hosts.names[i], act(hosts.names[i])};
      },
      [&](std::size_t i) {
        const auto& [host, trouble] = outcomes[i];
        if (!trouble.empty()) status = io::kFailed;
        if (!admin.json)
          admin.stage.print(title + " <" + host + "> ...... " + (trouble.empty() ? "done" : trouble) + "\n");
      });
  if (admin.json) admin.stage.print(show::outcomes_json(admin.subcommand, outcomes));
  return status;
}

// Why the cluster's key is unusable, if this user may read it; else "".
std::string key_trouble(const conf::ClusterFiles& files) {
  const std::string& path = files.settings.key_file;
  if (access(path.c_str(), R_OK) != 0) return "";
  const auto key = io::load_cluster_key(path);
  return key ? "" : key.error().text;
}

// "", or why LIM there did not obey.
std::string control(io::Stage& stage, const std::string& host, const Control& order) {
  wire::Request request;
  *request.mutable_control() = order;
  request.mutable_control()->set_host(host);
  const io::Answer answer = io::LimClient(stage.files(), kPatience).ask_host(host, request);
  if (!answer.error) return "";
  const bool stranger = answer.error->refusal.why() == wire::Reply::Refusal::NOT_ALLOWED;
  const std::string why = stranger ? key_trouble(stage.files()) : "";
  return answer.error->text + (why.empty() ? "" : "; you have proved nothing by the key: " + why);
}

// tell_each() for orders to daemons. With "all", hosts known to be down are skipped. A host that is named is always asked.
// `by_name`: the subcommand that takes a name.
int order_each(const Admin& admin, const std::string& title, const Hosts& hosts, const std::string& by_name,
               const std::function<std::string(const std::string& host)>& act) {
  const auto down = hosts.all ? io::hosts_down(admin.stage.files()) : std::set<std::string>();
  return tell_each(admin, title, hosts, [&](const std::string& host) {
    return down.count(host) == 0 ? act(host) : io::skipped_text("lsadmin " + by_name + " " + host);
  });
}

int control_each(const Admin& admin, const std::string& title, const Hosts& hosts, const Control& order,
                 const std::function<std::string(const std::string& host)>& then = {}) {
  const std::string by_name = admin.subcommand == "reconfig" ? "limrestart" : admin.subcommand;
  return order_each(admin, title, hosts, by_name, [&](const std::string& host) {
    const std::string trouble = control(admin.stage, host, order);
    return trouble.empty() && then ? then(host) : trouble;
  });
}
int control_each(const Admin& admin, const std::string& title, const Hosts& hosts, Control::Action action) {
  Control order;
  order.set_action(action);
  return control_each(admin, title, hosts, order);
}

// On this host alone: a message, or the error.
int control_here(const Admin& admin, const Control& order, const std::string& done) {
  const std::string host = this_host(admin.stage.files());
  const std::string trouble = control(admin.stage, host, order);
  if (admin.json) admin.stage.print(show::outcomes_json(admin.subcommand, {{host, trouble}}));
  if (!trouble.empty()) return admin.json ? io::kFailed : admin.stage.fail(trouble);
  return admin.json ? 0 : admin.stage.print(done);
}

constexpr std::chrono::seconds kToComeBack{20};

// "" once LIM there answers again, so that "done" is true.
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

// "", or why RES there did not obey.
std::string control_res(io::Stage& stage, const std::string& host, wire::ControlRes::Action action,
                        const std::string& text) {
  const auto settings = conf::read_batch_settings(stage.files());
  if (!settings) return settings.error().text;
  wire::ControlRes control;
  control.set_action(action);
  control.set_text(text);
  const auto said = io::ResClient(stage.files(), *settings).control(host, control);
  return said ? "" : said.error().text;
}

// The same for its restart: "done" once it answers again.
std::string restart_res(io::Stage& stage, const std::string& host) {
  const auto settings = conf::read_batch_settings(stage.files());
  if (!settings) return settings.error().text;
  const auto done = io::ResClient(stage.files(), *settings).restart(host);
  return done ? "" : done.error().text;
}

int control_res_each(const Admin& admin, const std::string& title, const Hosts& hosts,
                     wire::ControlRes::Action action, const std::string& text = {}) {
  return order_each(admin, title, hosts, admin.subcommand,
                    [&](const std::string& host) { return control_res(admin.stage, host, action, text); });
}

struct Given {
  Hosts hosts;
  bool verbose = false;
  bool go = false;  // -f was given, no question is needed, or the user agreed
};

// Parses the words of a subcommand for hosts. Asks the user where they mean all hosts.
Result<Given> given(const Admin& admin, const Words& words, const std::string& question) {
  const bool hosts_named = admin.subcommand != "reconfig";
  const CommandShape shape{"lsadmin",
                           hosts_named ? "[host ...]" : "",
                           {{"-f", Value::none, "ask nothing"}, {"-v", Value::none, "say more"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return usage_error(admin.subcommand + ": " + parsed.error().text);
  const auto hosts = hosts_of(admin.stage.files(), hosts_named ? parsed->operands() : Words{"all"});
  if (!hosts) return hosts.error();
  Given all{*hosts, parsed->has("-v"), true};
  const bool checks = admin.subcommand == "reconfig" || admin.subcommand == "limrestart";
  if (checks) {
    const auto problems = check_configuration(admin, all.verbose);
    if (problems.has_errors() && !problems.has_fatal() && !parsed->has("-f") && !admin.json)
      admin.stage.print("-f goes on without the rows and values that have errors.\n");
    if (problems.has_fatal() || (problems.has_errors() && !parsed->has("-f"))) return configuration_error("");
  }
  if (!all.hosts.all || parsed->has("-f")) return all;
  const auto yes = agreed(admin, question);
  if (!yes) return yes.error();
  all.go = *yes;
  return all;
}

// Errors in the files have been printed before.
int refuse(const Admin& admin, const Error& error) {
  return error.text.empty() ? io::kFailed : admin.stage.fail(error.text);
}

}  // namespace

int reconfig(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to restart LIMs on all hosts?");
  if (!what) return refuse(admin, what.error());
  return what->go ? control_each(admin, "Restart LIM on", what->hosts, Control::RECONFIG) : 0;
}

int limstartup(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to start up LIM on all hosts?");
  if (!what) return refuse(admin, what.error());
  if (!what->go) return 0;
  return tell_each(admin, "Starting up LIM on", what->hosts, [&](const std::string& host) {
    return io::start_daemon(admin.stage.files(), host, "lim", admin.json || what->hosts.names.size() > 1);
  });
}

int limshutdown(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to shut down LIMs on all hosts?");
  if (!what) return refuse(admin, what.error());
  return what->go ? control_each(admin, "Shut down LIM on", what->hosts, Control::SHUTDOWN) : 0;
}

int limrestart(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to restart LIMs on all hosts?");
  if (!what) return refuse(admin, what.error());
  if (!what->go) return 0;
  Control order;
  order.set_action(Control::RESTART);
  return control_each(admin, "Restart LIM on", what->hosts, order,
                      [&](const std::string& host) { return answers_again(admin.stage, host); });
}

int resstartup(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to start up RES on all hosts?");
  if (!what) return refuse(admin, what.error());
  if (!what->go) return 0;
  return tell_each(admin, "Starting up RES on", what->hosts, [&](const std::string& host) {
    return io::start_daemon(admin.stage.files(), host, "res", admin.json || what->hosts.names.size() > 1);
  });
}

int resshutdown(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to shut down RES on all hosts?");
  if (!what) return refuse(admin, what.error());
  if (!what->go) return 0;
  return control_res_each(admin, "Shut down RES on", what->hosts, wire::ControlRes::SHUTDOWN);
}

int resrestart(const Admin& admin, const Words& words) {
  const auto what = given(admin, words, "Do you really want to restart RES on all hosts?");
  if (!what) return refuse(admin, what.error());
  if (!what->go) return 0;
  return order_each(admin, "Restart RES on", what->hosts, admin.subcommand,
                    [&](const std::string& host) { return restart_res(admin.stage, host); });
}

int limlock(const Admin& admin, const Words& words) {
  const CommandShape shape{"lsadmin limlock",
                           "",
                           {{"-l", Value::required, "SECONDS how long"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return admin.stage.fail("limlock: " + parsed.error().text);
  Control order;
  order.set_action(Control::LOCK);
  if (const auto word = parsed->value("-l")) {
    const auto seconds = parse_whole(*word, 1, kMostSeconds);
    if (!seconds)
      return admin.stage.fail("limlock: -l: found " + printable(*word) + ", expected 1 to " +
                              std::to_string(kMostSeconds) + " seconds");
    order.set_seconds(static_cast<unsigned>(*seconds));
  }
  return control_here(admin, order, "Host is locked\n");
}

int limunlock(const Admin& admin, const Words& words) {
  if (!words.empty())
    return admin.stage.fail("limunlock: found " + printable(words.front()) + ", expected nothing");
  Control order;
  order.set_action(Control::UNLOCK);
  return control_here(admin, order, "Host is unlocked\n");
}

namespace {

// "debug" or "usual", and the hosts. The option's name selects the daemon's log.
struct LogOrder {
  std::string level;
  Hosts hosts;
};
Result<LogOrder> log_order(const Admin& admin, const Words& words) {
  const CommandShape shape{"lsadmin " + admin.subcommand,
                           "[host ...]",
                           {{"-l", Value::required, "LEVEL 1 to 3"}, {"-o", Value::none, "as usual"}},
                           CommandShape::Order::anywhere,
                           ""};
  const auto parsed = CommandWords::parse(shape, words);
  if (!parsed) return usage_error(admin.subcommand + ": " + parsed.error().text);
  const auto level = parse_whole(parsed->value("-l").value_or("1"), 0, 3);
  if (!level)
    return usage_error(admin.subcommand + " -l: found " + *parsed->value("-l") + ", expected 0 to 3");
  auto hosts = hosts_of(admin.stage.files(), parsed->operands());
  if (!hosts) return hosts.error();
  return LogOrder{parsed->has("-o") || *level == 0 ? "usual" : "debug", std::move(*hosts)};
}

}  // namespace

int limdebug(const Admin& admin, const Words& words) {
  const auto asked = log_order(admin, words);
  if (!asked) return admin.stage.fail(asked.error().text);
  Control order;
  order.set_action(Control::DEBUG);
  order.set_text(asked->level);
  return control_each(admin, "Set the log level of LIM on", asked->hosts, order);
}

int resdebug(const Admin& admin, const Words& words) {
  const auto asked = log_order(admin, words);
  if (!asked) return admin.stage.fail(asked.error().text);
  return control_res_each(admin, "Set the log level of RES on", asked->hosts, wire::ControlRes::DEBUG,
                          asked->level);
}

}  // namespace rollcall::elim
