// badmin: the batch system's administrator's tool. badmin(8). With a subcommand it does that one, without it reads them
// from standard input.
#include "sched/commands/badmin.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "common/base/host_list.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/conf/lsb/system_names.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/shared_addresses.hpp"
#include "common/conf/show_conf.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/config_source.hpp"
#include "common/io/configured_directories.hpp"
#include "common/io/daemon_files.hpp"
#include "common/io/host_addresses.hpp"
#include "common/io/peer_key_files.hpp"
#include "common/io/system_names.hpp"
#include "sched/client/orders.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/lease/export_files.hpp"
#include "sched/policy/show/format_checks.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/show_history.hpp"
#include "sched/policy/values/file_checks.hpp"

namespace rollcall::sched {
namespace {

using Admin = BatchAdmin;
using Control = wire::ControlBatch;
using Value = CommandOption::Value;

struct Subcommand {
  const char* name;
  const char* operands;
  const char* meaning;
  int (*run)(const Admin&);
};

std::optional<wire::BatchReply> order(io::Stage& stage, Control order) {
  return ask_all(stage, client::control, std::move(order));
}

int control_names(const Admin& admin, Control::Action action, const Words& names) {
  Control control;
  control.set_action(action);
  control.set_comment(admin.words.value("-C").value_or(""));
  for (const auto& name : names) control.add_names(name);
  const auto reply = order(admin.stage, std::move(control));
  return reply ? print_outcomes(admin.stage, reply->outcomes()) : io::kFailed;
}

// ---------------------------------------------------------------- queues and hosts

int queues(const Admin& admin, Control::Action action) {
  if (admin.words.operands().empty())
    return admin.stage.fail(std::string(admin.name) + ": found no queue, expected names or all");
  return control_names(admin, action, admin.words.operands());
}
int qopen(const Admin& admin) { return queues(admin, Control::QUEUE_OPEN); }
int qclose(const Admin& admin) { return queues(admin, Control::QUEUE_CLOSE); }
int qact(const Admin& admin) { return queues(admin, Control::QUEUE_ACTIVATE); }
int qinact(const Admin& admin) { return queues(admin, Control::QUEUE_INACTIVATE); }

int hopen(const Admin& admin) { return control_names(admin, Control::HOST_OPEN, hosts_or_here(admin)); }
int hclose(const Admin& admin) { return control_names(admin, Control::HOST_CLOSE, hosts_or_here(admin)); }

// ---------------------------------------------------------------- files

bool is_host_of_mbatchd(const conf::ClusterFiles& files, const conf::BatchSettings& batch) {
  const std::string here = io::host_name_here();
  return files.names.official(here).value_or(here) == batch.mbd_host;
}

// A line that begins with what it is about.
conf::Place place_of_line(const std::string& line) { return {line.substr(0, line.find(": ")), 0}; }
std::string text_of_line(const std::string& line) {
  return line.substr(std::min(line.find(": "), line.size() - 2) + 2);
}

// Owners, modes and keys for which mbatchd refuses to start, or to connect with a peer. Keys are shown to their owner alone.
void check_what_mbatchd_refuses(const conf::ClusterFiles& files, const conf::BatchSettings& batch,
                                const conf::PeerSettings& peers, conf::Problems& problems) {
  for (const auto& line : io::refused_files(files.settings, io::files_of_mbatchd(files, batch, peers)))
    problems.fatal(place_of_line(line), text_of_line(line));
  const std::string& path = files.settings.key_file;
  struct stat found;
  if (lstat(path.c_str(), &found) != 0 || (geteuid() != 0 && found.st_uid != geteuid())) return;
  const auto key = io::load_cluster_key(path);
  if (!key) return problems.fatal(place_of_line(key.error().text), text_of_line(key.error().text));
  std::vector<std::string> clusters;
  for (const auto& peer : peers.clusters) clusters.push_back(peer.name);
  if (peers.key_directory.empty()) return;
  const auto keys = io::load_peer_keys(peers.key_directory, files.settings.cluster, *key, clusters);
  for (const auto& [cluster, line] : keys.errors)
    problems.warning(place_of_line(line), text_of_line(line) + "; cluster " + cluster + " is not connected");
}

// All of lsf.* and lsb.* in one go, as far as they can be read.
conf::Problems check_files(const Admin& admin) {
  io::Stage& stage = admin.stage;
  // Name services may be slow: a reconfiguration does not wait for them.
  const bool with_names = admin.name == std::string_view("ckconfig");
  stage.print("\nChecking configuration files ...\n\n");
  const auto sources = io::real_file_sources();
  auto cluster = conf::read_cluster_files(sources);
  auto& problems = cluster.problems;
  auto read = cluster.read;
  const auto& files = cluster.files ? *cluster.files : *cluster.rest;
  const auto batch = conf::read_batch_settings(files, problems);
  const auto peers = conf::read_peer_settings(files, batch.mbd_port, problems);
  conf::refuse_shared_addresses(files, sources, problems);
  if (is_host_of_mbatchd(files, batch)) {
    io::check_directories(conf::named_directories(files.lsf_conf, {"LSB_SHAREDIR", "ROLLCALL_PEER_KEYS"}),
                          problems);
    if (with_names) check_what_mbatchd_refuses(files, batch, peers, problems);
  }
  if (with_names) conf::check_system_names(files, io::system_names(), problems);
  show::check_formats(files, problems);
  if (!files.cluster.name.empty()) {
    const auto lsb = conf::read_lsb_files(sources, files);
    problems.add(lsb.problems);
    read.insert(read.end(), lsb.read.begin(), lsb.read.end());
    if (lsb.files) check_requirements(files, *lsb.files, problems);
    if (lsb.files) lease::check_export_files(files, *lsb.files, peers, problems);
    if (lsb.files && with_names) conf::check_system_names(*lsb.files, io::system_names(), problems);
  }
  problems.sort();
  stage.print(conf::check_text(problems, read, admin.words.has("-v")) + "\n");
  return problems;
}

int ckconfig(const Admin& admin) { return check_files(admin).has_errors() ? io::kFailed : 0; }

int checked_order(const Admin& admin, Control::Action action, const char* done, const char* aborted) {
  const auto problems = check_files(admin);
  if (problems.has_fatal()) return complain(aborted);
  if (problems.has_errors() && !admin.words.has("-f")) {
    admin.stage.print("-f goes on without the rows and values that have errors.\n");
    return complain(aborted);
  }
  Control control;
  control.set_action(action);
  const auto reply = order(admin.stage, std::move(control));
  if (!reply) return io::kFailed;
  std::string text = std::string(done) + "\n";
  for (const auto& change : reply->outcomes().outcomes()) text += change.text() + "\n";
  return admin.stage.print(text);
}
int reconfig(const Admin& admin) {
  return checked_order(admin, Control::RECONFIG, "Reconfiguration initiated", "Reconfiguration aborted.");
}
int mbdrestart(const Admin& admin) {
  return checked_order(admin, Control::RESTART, "MBD restart initiated", "MBD restart aborted.");
}

// ---------------------------------------------------------------- mbatchd

std::string with_newline(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

int showconf(const Admin& admin) {
  const auto& words = admin.words.operands();
  if (words.empty() || words.front() != "mbd")
    return admin.stage.fail("showconf: found " +
                            (words.empty() ? std::string("nothing") : printable(words.front())) +
                            ", expected mbd");
  Control control;
  control.set_action(Control::SHOW_CONFIGURATION);
  const auto reply = order(admin.stage, std::move(control));
  if (!reply) return io::kFailed;
  const show::ShowTime time = show_time();
  auto parameters = conf::shown_parameters(admin.stage.files());
  // Programs split every line at " = " and take both parts.
  std::erase_if(parameters, [](const auto& parameter) { return parameter.value.empty(); });
  return admin.stage.print("MBD configuration at " + time.at(time.now.us) + "\n" +
                           conf::show_conf_text(parameters, admin.words.has("-v")) +
                           with_newline(reply->text()));
}

int answer_of(const Admin& admin, Control::Action action) {
  Control control;
  control.set_action(action);
  const auto reply = order(admin.stage, std::move(control));
  return reply ? admin.stage.print(with_newline(reply->text())) : io::kFailed;
}
int showstatus(const Admin& admin) { return answer_of(admin, Control::SHOW_STATUS); }
int mbdrebuild(const Admin& admin) { return answer_of(admin, Control::REBUILD_EVENTS); }

int mbddebug(const Admin& admin) {
  Control control;
  control.set_action(Control::DEBUG);
  if (!admin.words.has("-o")) control.set_text("LOG_DEBUG");  // else that of LSF_LOG_MASK
  const auto reply = order(admin.stage, std::move(control));
  return reply ? admin.stage.print(with_newline(reply->text())) : io::kFailed;
}

// ---------------------------------------------------------------- history

int history(const Admin& admin, const char* queue, const char* host, bool (*shown)(const wire::JobEvent&)) {
  const show::ShowTime time = show_time();
  wire::AskEvents ask;
  ask.set_system(true);
  const auto& names = admin.words.operands();
  if (const auto span = admin.words.value("-t")) {
    const auto parsed = show::parse_time_span(*span, time.now, time.local);
    if (!parsed) return admin.stage.fail("-t: " + parsed.error().text);
    ask.set_from_us(parsed->from_us);
    ask.set_to_us(parsed->to_us);
  }
  if (names.size() == 1 && queue != nullptr) ask.set_queue(names.front());
  if (names.size() == 1 && host != nullptr)
    ask.set_host(admin.stage.files().names.official(names.front()).value_or(names.front()));
  auto session = client_of(admin.stage);
  if (!session) return io::kFailed;
  std::string text;
  const auto failure =
      client::ask_events(*session, std::move(ask), [&](const wire::BatchReply::Events& part) {
        for (const auto& event : part.events())
          if (shown(event)) text += show::system_line(event, time);
      });
  if (failure) return failed(admin.stage, *failure);
  return text.empty() ? complain("No matching records found") : admin.stage.print(text);
}
int qhist(const Admin& admin) {
  return history(admin, "queue", nullptr, [](const wire::JobEvent& e) { return e.has_queue_control(); });
}
int hhist(const Admin& admin) {
  return history(admin, nullptr, "host", [](const wire::JobEvent& e) { return e.has_host_control(); });
}
int mbdhist(const Admin& admin) {
  return history(admin, nullptr, nullptr,
                 [](const wire::JobEvent& e) { return e.has_mbd_start() || e.has_mbd_die(); });
}
int hist(const Admin& admin) {
  return history(admin, nullptr, nullptr, [](const wire::JobEvent&) { return true; });
}

// ---------------------------------------------------------------- the list

constexpr Subcommand kSubcommands[] = {
    {"ckconfig", "", "[-v] check the configuration files", ckconfig},
    {"reconfig", "", "[-v] [-f] have mbatchd read the files anew; -f: also without rows that have errors",
     reconfig},
    {"mbdrestart", "", "[-v] [-f] start mbatchd anew", mbdrestart},
    {"mbdrebuild", "", "have mbatchd write lsb.events anew", mbdrebuild},
    {"qopen", "[queue ... | all]", "[-C comment] let queues take jobs", qopen},
    {"qclose", "[queue ... | all]", "[-C comment] let queues take no jobs", qclose},
    {"qact", "[queue ... | all]", "[-C comment] let jobs of queues start", qact},
    {"qinact", "[queue ... | all]", "[-C comment] let no job of queues start", qinact},
    {"hopen", "[host ... | host_group ... | all]", "[-C comment] let hosts take jobs", hopen},
    {"hclose", "[host ... | host_group ... | all]", "[-C comment] let hosts take no jobs", hclose},
    {"hstartup", "[host ... | all]", "[-f] start RES, which runs the jobs of its host", hstartup},
    {"hshutdown", "[host ... | all]", "[-f] end RES; jobs go on", hshutdown},
    {"hrestart", "[host ... | all]", "[-f] start RES anew; jobs go on", hrestart},
    {"hforget", "host ... | all | @cluster ...",
     "[-f] have hosts forget the jobs of an mbatchd whose store is gone; take another cluster's store as it "
     "is now; with -jobs: end the jobs that are in a cluster which will never answer",
     hforget},
    {"qhist", "[queue]", "[-t from,to] what was said to queues", qhist},
    {"hhist", "[host]", "[-t from,to] what was said to hosts", hhist},
    {"mbdhist", "", "[-t from,to] starts and ends of mbatchd", mbdhist},
    {"hist", "", "[-t from,to] all of these", hist},
    {"showconf", "mbd [all]", "[-v] the configuration of mbatchd", showconf},
    {"showstatus", "", "how mbatchd is", showstatus},
    {"mbddebug", "", "[-o] log more, or as usual", mbddebug},
};

// Subcommands of LSF that are not supported: refused with the reason.
constexpr std::string_view kNotThere[] = {
    "mbdtime",   "schddebug", "schdtime", "sbddebug", "sbdtime",    "perfmon", "perflog",  "diagnose",
    "hghostadd", "hghostdel", "gpddebug", "gpdtime",  "gpdrestart", "rc",      "security", "lsfproxyd"};

std::string help_text() {
  std::string text = "Subcommands:\n";
  for (const auto& subcommand : kSubcommands)
    text += std::string("  ") + subcommand.name + " " + subcommand.operands + "\n      " +
            subcommand.meaning + "\n";
  return text + "  help\n  quit\n";
}

int run_subcommand(io::Stage& stage, Words words) {
  const std::string name = words.front();
  words.erase(words.begin());
  if (name == "help" || name == "?" || name == "-h") return std::fputs(help_text().c_str(), stderr), 0;
  for (const auto& subcommand : kSubcommands) {
    if (name != subcommand.name) continue;
    const CommandShape shape{subcommand.name,
                             subcommand.operands,
                             {{"-f", Value::none, "ask nothing"},
                              {"-v", Value::none, "say more"},
                              {"-o", Value::none, "as usual"},
                              {"-jobs", Value::none, "end the jobs that are there"},
                              {"-C", Value::required, "COMMENT why"},
                              {"-t", Value::required, "FROM,TO then"}},
                             CommandShape::Order::anywhere,
                             subcommand.meaning};
    const auto parsed = CommandWords::parse(shape, words);
    if (!parsed) return stage.fail(name + ": " + parsed.error().text);
    return subcommand.run({stage, subcommand.name, *parsed});
  }
  if (std::find(std::begin(kNotThere), std::end(kNotThere), name) != std::end(kNotThere))
    return stage.fail(name + ": not supported in this release; help lists the subcommands");
  return stage.fail("found the subcommand " + printable(name) + ", expected one of those that help shows");
}

// Gives the status of the last subcommand.
int interactive(io::Stage& stage) {
  const bool prompting = isatty(STDIN_FILENO) == 1;
  int status = 0;
  while (true) {
    if (prompting) stage.print("badmin>");
    const auto line = io::Stage::read_line();
    if (!line) return status;
    std::istringstream split(*line);
    Words words;
    for (std::string word; split >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (words.front() == "quit" || words.front() == "exit") return status;
    status = run_subcommand(stage, words);
  }
}

int run_badmin(io::Stage& stage, const Words& words) {
  if (words.empty()) return interactive(stage);
  if (words.front() == "-V") return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  return run_subcommand(stage, words);
}

}  // namespace

namespace {

Control order_of_clusters(Control::Action action, const Words& clusters) {
  Control asked;
  asked.set_action(action);
  for (const auto& name : clusters) asked.add_names(name);
  return asked;
}

// mbatchd says what would become of each, and changes nothing. Not 0: it refuses one of them.
int say(const BatchAdmin& admin, Control asked) {
  asked.set_only_say(true);
  const auto said = order(admin.stage, std::move(asked));
  return said ? print_outcomes(admin.stage, said->outcomes()) : io::kFailed;
}

int write_off_clusters(const BatchAdmin& admin, const Words& clusters) {
  const Control asked = order_of_clusters(Control::WRITE_OFF_CLUSTERS, clusters);
  if (const int status = say(admin, asked); status != 0) return status;
  const auto yes = agreed(admin, "Do you really want to write these jobs off?");
  if (!yes) return io::kFailed;
  if (!*yes) return 0;
  const auto done = order(admin.stage, asked);
  if (!done) return io::kFailed;
  const auto& outcomes = done->outcomes().outcomes();
  if (std::any_of(outcomes.begin(), outcomes.end(), [](const auto& one) { return one.failed(); }))
    return print_outcomes(admin.stage, done->outcomes());
  admin.stage.print("The jobs are written off.\n");
  return 0;
}

}  // namespace

int forget_clusters(const BatchAdmin& admin, const Words& clusters) {
  if (admin.words.has("-jobs")) return write_off_clusters(admin, clusters);
  if (!admin.words.has("-f"))
    if (const int status = say(admin, order_of_clusters(Control::FORGET_CLUSTERS, clusters)); status != 0)
      return status;
  std::string named;
  for (const auto& cluster : clusters) named += (named.empty() ? "" : " ") + cluster;
  const std::string question =
      "Jobs that " + std::string(clusters.size() == 1 ? "this cluster has" : "these clusters have") +
      " lost are given up. Do you really want to take " + named + " as it is now?";
  const auto yes = agreed(admin, question);
  if (!yes) return io::kFailed;
  return *yes ? control_names(admin, Control::FORGET_CLUSTERS, clusters) : 0;
}

io::Command badmin_command() {
  return {
      {"badmin", "[subcommand [word ...]]", {}, CommandShape::Order::first, "Administers the batch system."},
      {},
      run_badmin};
}

}  // namespace rollcall::sched
