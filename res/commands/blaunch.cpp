// blaunch: runs a command on hosts of this job. blaunch(1).
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/base/hex_line.hpp"
#include "common/base/job_numbers.hpp"
#include "common/conf/words.hpp"
#include "common/io/host_lookup.hpp"
#include "common/io/job_key.hpp"
#include "common/io/key_file.hpp"
#include "common/io/read_file.hpp"
#include "common/io/relay_directory.hpp"
#include "common/wire/relay.hpp"
#include "res/commands/commands.hpp"
#include "res/commands/remote_tasks.hpp"
#include "res/policy/launch_options.hpp"
#include "res/policy/span_file.hpp"

namespace rollcall::res {
namespace {

constexpr const char* kBlaunchUsage =
    "usage: blaunch [-n] [-no-shell | -use-login-shell] [-u HOST_FILE | -z \"HOST ...\" | HOST] COMMAND "
    "[ARGUMENT ...]\n"
    "  -n                do not read standard input\n"
    "  -no-shell         execute the words as they are; else they are joined for /bin/sh -c\n"
    "  -use-login-shell  join them for the login shell\n"
    "  -u HOST_FILE      on the hosts in this file, one on each line\n"
    "  -z \"HOST ...\"     on these hosts\n"
    "                    without any host: a task for each slot of the job\n"
    "                    other options of rsh and ssh have no effect\n"
    "  -V                prints the version\n"
    "  -h                prints this\n";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Result<std::vector<std::string>> hosts_of(const BlaunchOptions& options) {
  if (options.host_file.empty()) return options.hosts;
  const auto text = io::read_file(options.host_file);
  if (!text) return usage_error("-u: " + options.host_file + ": " + text.error().message());
  auto hosts = hosts_of_file(*text);
  if (hosts.empty())
    return usage_error("-u: " + options.host_file + ": found no host, expected one on each line");
  return hosts;
}

void set_words(wire::RunTask& task, const BlaunchOptions& options) {
  const std::string line = conf::join(options.words);
  switch (options.shell) {
    case LaunchShell::plain:
      task.set_shell(true);
      task.add_words(line);
      return;
    case LaunchShell::login: {
      const std::string shell = variable("SHELL");
      for (const auto& word :
           {shell.empty() ? std::string("/bin/sh") : shell, std::string("-l"), std::string("-c"), line})
        task.add_words(word);
      return;
    }
    case LaunchShell::none:
      for (const auto& word : options.words) task.add_words(word);
      return;
  }
}

JobHostWords words_of_this_job() {
  const std::string file = variable("LSB_DJOB_HOSTFILE");
  const auto text = file.empty() ? boost::system::result<std::string>("") : io::read_file(file);
  return {variable("LSB_MCPU_HOSTS"), variable("LSB_HOSTS"), text ? *text : ""};
}

// The hosts of a job on hosts of several clusters, and its key; none: its hosts are all of this cluster.
Result<std::optional<std::map<std::string, io::ResClient::SpanHost>>> span_of_this_job() {
  std::optional<std::map<std::string, io::ResClient::SpanHost>> span;
  const std::string relay = variable("ROLLCALL_RELAY");
  if (!wire::is_span_relay(relay)) return span;
  const std::string directory = io::relay_directory(relay);
  if (directory.empty())
    return configuration_error("the job's shepherd on this host does not say where the job's key is");
  const std::string path = directory + "/" + kSpanFile;
  const auto text = io::read_file(path);
  if (!text) return configuration_error(path + ": " + text.error().message());
  const auto places = read_span(*text);
  if (!places)
    return configuration_error(path + ": found a malformed line, expected HOST PORT KEY ADDRESSES");
  span.emplace();
  for (const auto& place : *places) {
    io::ResClient::SpanHost host{place.host, place.addresses, place.port, {}};
    if (const auto key = parse_hex_line(place.task_key + "\n"))
      host.ticket = io::job_ticket({reinterpret_cast<const char*>(key->data()), key->size()});
    span->emplace(place.host, std::move(host));
  }
  return span;
}

int run_blaunch(io::Stage& stage, const std::vector<std::string>& words) {
  auto options = parse_blaunch(words);
  if (!options) return stage.fail(options.error().text);
  if (options->help) return std::fputs(kBlaunchUsage, stderr), 0;
  if (options->version) return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  // In a job of another cluster LSB_JOBID is its number there.
  const std::string here = variable(kLocalJobId);
  const auto job =
      here.empty() ? launch_job(variable("LSB_JOBID"), variable("LSB_JOBINDEX")) : launch_job(here, "");
  if (!job) return stage.fail(job.error().text);
  const auto told = words_of_this_job();
  auto of_job = hosts_of_job(told);
  // The job's hosts suffice to recognize those of the command line; the cluster may have thousands.
  auto names = stage.files_to_ask().names;
  auto span = span_of_this_job();
  if (!span) return stage.fail(span.error().text);
  for (auto& host : of_job) {
    if (!*span) host = names.short_of_domain(official_name(stage, host));
    names.add_official(host);
  }
  // A word that only the name service knows is also a host. blaunch refuses it as outside the job, and does not run it.
  const auto is_host = [&](const std::string& word) {
    return names.official(word).has_value() || stage.files().names.official(word).has_value() ||
           (word.find_first_of("/ \t") == word.npos && io::look_up(word, 1));
  };
  if (const auto taken = take_host(*options, is_host, slots_of_job(told)); !taken)
    return stage.fail(taken.error().text);
  const auto hosts = hosts_of(*options);
  if (!hosts) return stage.fail(hosts.error().text);

  RemoteTasks tasks;
  for (const auto& host : *hosts) tasks.hosts.push_back(names.official(host).value_or(host));
  const std::string stranger = stranger_among(tasks.hosts, of_job, *job);
  if (!stranger.empty()) return stage.fail(stranger);
  tasks.task = task_from_here();
  tasks.task.mutable_job()->mutable_key()->set_id(job->id);
  tasks.task.mutable_job()->mutable_key()->set_index(job->index);
  set_words(tasks.task, *options);
  tasks.span = std::move(*span);
  tasks.input = !options->no_input;
  tasks.patience = link_patience(variable("LSF_RES_ALIVE_TIMEOUT"), variable("LSB_DJOB_HB_INTERVAL"),
                                 variable("LSB_DJOB_COMMFAIL_ACTION"));
  return run_remote_tasks(stage, tasks);
}

}  // namespace

io::Command blaunch_command() {
  io::Command command;
  command.shape.name = "blaunch";
  command.run_raw = run_blaunch;
  return command;
}

}  // namespace rollcall::res
