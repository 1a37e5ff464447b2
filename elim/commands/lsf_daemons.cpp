// lsf_daemons: starts, stops and shows the daemons of this host. lsf_daemons(8).
//
// A program of its own, not one of the ls* commands: it never asks a LIM, and works where none runs.
// elim/policy/show/daemon_control decides and makes the messages; this file puts the steps together.
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>

#include "common/base/command_words.hpp"
#include "common/base/numbers.hpp"
#include "common/base/shell_quote.hpp"
#include "common/conf/malformed_lines.hpp"
#include "common/conf/own_host.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/config_source.hpp"
#include "elim/commands/cluster_setup.hpp"
#include "elim/commands/daemon_probe.hpp"
#include "elim/commands/daemon_start.hpp"
#include "elim/commands/daemon_work.hpp"
#include "elim/commands/peer_key.hpp"
#include "elim/commands/start_checks.hpp"

namespace rollcall::elim {
namespace {

constexpr int kFailed = 1;
constexpr int kNotInstalled = 5;  // as init scripts have it (Linux Standard Base)
constexpr Patience kStartPatience{30000};
constexpr Patience kStopPatience{10000};
constexpr Patience kProbePatience{2000};

int complain(const std::string& text) {
  std::fprintf(stderr, "lsf_daemons: %s\n", text.c_str());
  return kFailed;
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

using Work = DaemonWork;

Patience start_patience(const Work& work) { return work.patience.value_or(kStartPatience); }
Patience stop_patience(const Work& work) { return work.patience.value_or(kStopPatience); }

bool is_there(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

// --- the key

Result<void> make_key(const std::string& path) {
  if (auto made = io::create_cluster_key(path); !made) return made;
  say("made the cluster's key " + path + " and its public half " + io::public_key_path(path));
  return {};
}

// Checks the key for `start`: it exists, is ours, and has its public half. A cluster of one host makes its own key.
Result<void> ensure_key(const Work& work, std::size_t hosts) {
  const std::string& path = work.place.settings().key_file;
  if (!is_there(path)) {
    if (hosts == 1) return make_key(path);
    return configuration_error("cluster key " + path + ": found none, and this cluster has " +
                               std::to_string(hosts) +
                               " hosts: run \"lsf_daemons init\" on one of them and copy " + path + " and " +
                               io::public_key_path(path) + " to the others");
  }
  if (auto complete = io::complete_cluster_key(path); !complete) return complete;
  return io::check_cluster_key(path);
}

int init(const Work& work) {
  const std::string& path = work.place.settings().key_file;
  if (is_there(path) && !is_there(io::public_key_path(path))) {
    if (auto complete = io::complete_cluster_key(path); !complete) return complain(complete.error().text);
    say("made " + io::public_key_path(path) + ", the public half of the key that is there");
    return 0;
  }
  if (auto made = make_key(path); !made) return complain(made.error().text);
  return 0;
}

int peerkey(const Work& work, const std::string& cluster) {
  const auto made = make_peer_key(work, cluster);
  if (!made) {
    complain(made.error().text);
    return exit_code_of(made.error());
  }
  say(*made);
  return 0;
}

// --- status

show::DaemonSight look(const Work& work, const show::DaemonKind& kind) {
  show::DaemonSight sight;
  const auto file = work.place.find_pid_file(kind);
  if (const auto mark = read_pid_file(file.path)) {
    if (HeldProcess::hold(*mark)) {
      sight.older_name = file.older_name;
      sight.pid = mark->pid;
      sight.since = started_at(*mark);
    } else {
      sight.stale_pid = mark->pid;
    }
  }
  std::optional<io::ClusterPublicKey> key;
  if (auto loaded = io::load_cluster_public_key(io::public_key_path(work.place.settings().key_file)))
    key = *loaded;
  sight.port_number = work.port(kind);
  sight.port = probe_port(sight.port_number, key, kProbePatience);
  return sight;
}

int status(const Work& work) {
  std::vector<show::Verdict> verdicts;
  for (const auto& kind : work.kinds()) {
    verdicts.push_back(show::judge(kind, look(work, kind)));
    say(verdicts.back().line);
  }
  return show::status_code(verdicts);
}

// --- start and stop

int start_one(const Work& work, const show::DaemonKind& kind) {
  if (auto prepared = work.place.prepare_pid_file(kind); !prepared) return complain(prepared.error().text);
  if (!work.place.find_pid_file(kind).older_name.empty())
    return complain(show::judge(kind, look(work, kind)).line);
  auto file = PidFile::lock(work.place.pid_file(kind), true, stop_patience(work));
  if (!file) return complain(file.error().text);
  const auto mark = (*file)->mark();
  const auto held = mark ? HeldProcess::hold(*mark) : std::nullopt;
  if (held) {
    const auto verdict = show::judge(kind, look(work, kind));
    if (verdict.state == show::Verdict::State::running) {
      say(kind.name + ": runs already, pid " + std::to_string(held->pid()));
      return 0;
    }
    // It may be ending after lsadmin limshutdown: wait, so that the host is not left without a LIM.
    if (!held->gone_within(stop_patience(work))) return complain(verdict.line);
  }
  if (const auto verdict = show::judge(kind, look(work, kind));
      verdict.state == show::Verdict::State::running) {
    say(verdict.line);
    return 0;
  }
  const auto started = start_daemon(kind, work.place, **file, start_patience(work), work.starter);
  if (!started) {
    (*file)->remove();
    return complain(started.error().text);
  }
  say(kind.name + ": started, pid " + std::to_string(started->mark.pid));
  if (!started->note.empty()) complain(kind.name + ": " + started->note);
  return 0;
}

// Checks what a start needs: files that root may trust and LIM can read, this host in them, and the key.
int make_ready(const Work& work) {
  if (auto trust = work.place.check_trust(); !trust) return complain(trust.error().text);
  if (!work.checked.files) {
    for (const auto& problem : work.checked.problems.all())
      if (problem.kind != conf::Problem::Kind::warning) complain(problem.line());
    return kFailed;
  }
  const auto& cluster = work.checked.files->cluster;
  if (!work.role) return complain(conf::no_such_host(*work.checked.files, work.here));
  if (auto belong = work.check_asked(); !belong) return complain(belong.error().text);
  if (auto key = ensure_key(work, cluster.hosts.size()); !key) return complain(key.error().text);
  return 0;
}

int start(const Work& work) {
  if (const int code = make_ready(work)) return code;
  for (const auto& line : start_warnings(work.checked.files.value())) complain("warning: " + line);
  if (const auto note = work.place.prepare_logs(); !note.empty()) say(note);
  for (const auto& kind : work.kinds())
    if (const int code = start_one(work, kind)) return code;
  const auto missing = work.missing();
  if (missing.empty()) return 0;
  if (work.has_batch_files()) return complain(missing), kNotInstalled;
  say(missing);
  return 0;
}

// Run by a neighbour that has seen the daemon die. A daemon stopped by an administrator or started before the last boot has no
// mark of this boot. If the start fails the mark stays, so that it is tried again.
int revive_one(const Work& work, const show::DaemonKind& kind) {
  auto file = PidFile::lock(work.place.pid_file(kind), false, Patience(0));
  if (!file || !*file) return 0;  // another lsf_daemons works on it, or has stopped it
  const auto mark = (*file)->mark();
  if (!mark || mark->boot != boot_id() || HeldProcess::hold(*mark)) return 0;
  if (show::judge(kind, look(work, kind)).state == show::Verdict::State::running)
    return 0;  // it was started in another way
  const auto started = start_daemon(kind, work.place, **file, start_patience(work), work.starter);
  if (!started) {
    if (auto kept = (*file)->write(*mark); !kept) complain(kept.error().text);
    return complain(started.error().text);
  }
  say(kind.name + ": it died and was started again, pid " + std::to_string(started->mark.pid));
  return 0;
}

// Removes the mark of a dead daemon that the files have moved to another host, so that no neighbour tries again.
void forget_moved(const Work& work, const show::DaemonKind& kind) {
  if (!work.role) return;
  const auto why = show::why_not_here(kind, *work.role);
  if (why.empty()) return;
  auto file = PidFile::lock(work.place.pid_file(kind), false, Patience(0));
  if (!file || !*file) return;
  const auto mark = (*file)->mark();
  if (!mark || HeldProcess::hold(*mark)) return;
  (*file)->remove();
  say(kind.name + ": it died and is not started again: " + why);
}

int revive(const Work& work) {
  if (work.place.check_trust())
    for (const auto& kind : work.asked) forget_moved(work, kind);
  if (const int code = make_ready(work)) return code;
  int worst = 0;
  for (const auto& kind : work.kinds()) worst = std::max(worst, revive_one(work, kind));
  return worst;
}

int stop_one(const Work& work, const show::DaemonKind& kind) {
  auto file = PidFile::lock(work.place.pid_file(kind), false, stop_patience(work));
  if (!file) return complain(file.error().text);
  const auto mark = *file ? (*file)->mark() : std::nullopt;
  const auto held = mark ? HeldProcess::hold(*mark) : std::nullopt;
  if (!held) {
    if (*file) (*file)->remove();
    const auto verdict = show::judge(kind, look(work, kind));
    if (verdict.state == show::Verdict::State::running)
      return complain(verdict.line + ": stop it the way it was started");
    say(kind.name + ": not running");
    return 0;
  }
  const auto stopped = stop_daemon(kind, *held, stop_patience(work));
  if (!stopped) return complain(kind.name + ": " + stopped.error().text);
  (*file)->remove();
  std::string line = kind.name + ": stopped";
  if (stopped->killed) line += ", with SIGKILL: it did not end by itself";
  if (stopped->left_behind > 0)
    line += "; processes it left behind, ended with SIGKILL: " + std::to_string(stopped->left_behind);
  say(line);
  return 0;
}

int stop(const Work& work) {
  if (auto trust = work.place.check_trust(); !trust) return complain(trust.error().text);
  int worst = 0;
  const auto kinds = work.kinds();
  for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind)
    worst = std::max(worst, stop_one(work, *kind));
  return worst;
}

// A daemon that cannot start again is not stopped.
int restart(const Work& work) {
  if (const int code = make_ready(work)) return code;
  const int stopped = stop(work);
  return stopped != 0 ? stopped : start(work);
}

// --- the command line

const std::map<std::string, std::function<int(const Work&)>>& actions() {
  static const std::map<std::string, std::function<int(const Work&)>> all{
      {"start", start},   {"stop", stop}, {"restart", restart},
      {"status", status}, {"init", init}, {"revive", revive}};
  return all;
}

CommandShape shape() {
  using Value = CommandOption::Value;
  return {"lsf_daemons",
          "start|stop|restart|status [lim|res|mbatchd ...] | init | setup DIR [NAME] | peerkey CLUSTER",
          {{"-d", Value::required, "DIR LSF_ENVDIR, before that of the environment"},
           {"-t", Value::required, "SECONDS to wait for a daemon: 30 to get ready, 10 to end"},
           {"-h", Value::none, "print this and end"},
           {"-V", Value::none, "print the version and end"}},
          CommandShape::Order::anywhere,
          "Starts, stops and looks at the daemons of this host; init makes the cluster's key; setup makes "
          "the files of a cluster of this host in DIR; peerkey makes a key that is shared with CLUSTER."};
}

int usage(const std::string& text) {
  complain(text + "\n" + usage_text(shape()));
  return 2;
}

int setup(const std::vector<std::string>& operands) {
  if (operands.size() < 2 || operands.size() > 3)
    return usage("setup: found " + std::to_string(operands.size() - 1) +
                 " words behind it, expected DIR [NAME]");
  const std::string top = std::filesystem::absolute(operands[1]).lexically_normal().string();
  umask(022);
  const auto made = set_up_cluster(top.ends_with('/') ? top.substr(0, top.size() - 1) : top,
                                   operands.size() == 3 ? operands[2] : "mycluster");
  if (!made) {
    complain(made.error().text);
    return exit_code_of(made.error());
  }
  say("made the files of the cluster " + made->cluster + " in " + made->top + ": host " + made->host +
      ", administrator " + made->administrator + ", ports " + std::to_string(made->lim_port) + " to " +
      std::to_string(made->mbd_port));
  say("next: export LSF_ENVDIR=" + shell_quote(made->top + "/conf") + "; lsf_daemons start");
  return 0;
}

// The daemons named after the action, each once, in the order of their start.
Result<std::vector<show::DaemonKind>> kinds_asked(const std::vector<std::string>& operands) {
  if (operands[0] == "peerkey") return std::vector<show::DaemonKind>{};
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (operands[0] == "init" || show::daemon_kind(operands[i]) == nullptr)
      return usage_error("found \"" + operands[i] + "\" behind " + operands[0] + ", expected " +
                         (operands[0] == "init" ? "nothing" : "lim, res or mbatchd"));
  std::vector<show::DaemonKind> kinds;
  for (const auto& kind : show::daemon_kinds())
    if (std::find(operands.begin() + 1, operands.end(), kind.name) != operands.end()) kinds.push_back(kind);
  return kinds;
}

Result<Work> prepare(const CommandWords& words, std::vector<show::DaemonKind> asked) {
  auto sources = io::real_file_sources();
  if (const auto directory = words.value("-d")) sources = io::file_sources_of(*directory);
  sources.env_dir = std::filesystem::absolute(sources.env_dir).lexically_normal().string();
  std::optional<Patience> patience;
  if (const auto word = words.value("-t")) {
    const auto seconds = parse_whole(*word, 1, 86400);
    if (!seconds) return usage_error("-t: found \"" + *word + "\", expected 1 to 86400 seconds");
    patience = std::chrono::seconds(*seconds);
  }
  auto work = read_daemon_work(std::move(sources));
  if (!work) return work;
  work->patience = patience;
  work->asked = std::move(asked);
  return work;
}

// Where the set cannot be used at all, the action has them among its errors.
void warn_of_malformed_lines(const Work& work) {
  if (const auto lines = conf::malformed_lines(work.sources); work.checked.files && !lines.empty())
    complain("warning: " + lines);
}

int run(const std::vector<std::string>& arguments) {
  const auto words = CommandWords::parse(shape(), arguments);
  if (!words) return usage(words.error().text);
  if (words->has("-h")) return std::fputs(usage_text(shape()).c_str(), stderr), 0;
  if (words->has("-V")) return std::fputs("Rollcall " ROLLCALL_VERSION "\n", stderr), 0;
  const auto& operands = words->operands();
  if (!operands.empty() && operands[0] == "setup") return setup(operands);
  const bool peer_key = !operands.empty() && operands[0] == "peerkey";
  if (peer_key && operands.size() != 2)
    return usage("peerkey: found " + std::to_string(operands.size() - 1) +
                 " words behind it, expected CLUSTER");
  if (operands.empty() || (!peer_key && !actions().contains(operands[0])))
    return usage("found " + (operands.empty() ? "no action" : "\"" + operands[0] + "\"") +
                 ", expected one of start stop restart status init setup peerkey");
  auto asked = kinds_asked(operands);
  if (!asked) return usage(asked.error().text);
  const auto work = prepare(*words, std::move(*asked));
  if (!work) {
    complain(work.error().text);
    return exit_code_of(work.error());
  }
  warn_of_malformed_lines(*work);
  if (peer_key) return peerkey(*work, operands[1]);
  // Leaves the caller's descriptors and directory: a daemon must keep none of them open.
  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  umask(022);
  if (chdir("/") != 0) return complain("/: cannot enter it");
  return actions().at(operands[0])(*work);
}

}  // namespace
}  // namespace rollcall::elim

int main(int argc, char** argv) {
  try {
    return rollcall::elim::run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& error) {
    return rollcall::elim::complain(error.what());
  }
}
