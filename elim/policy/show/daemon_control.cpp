#include "elim/policy/show/daemon_control.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace rollcall::elim::show {
namespace {

constexpr std::size_t kBootBytes = 36;
constexpr std::size_t kLineBytes = 300;
constexpr std::string_view kRootsPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::array<std::string_view, 6> kPassed{"HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ"};
constexpr std::array<std::string_view, 2> kPassedForUsers{"PATH", "TMPDIR"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// `word` as one number; none where it has anything else.
template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size() || word[0] == '-') return {};
  return value;
}

bool is_boot(std::string_view word) {
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; };
  return word.size() == kBootBytes && std::all_of(word.begin(), word.end(), fits);
}

std::string port_text(const DaemonSight& sight) { return "port " + std::to_string(sight.port_number); }

// The verdict on a daemon without a process of ours.
Verdict judge_absent(const std::string& name, const DaemonSight& sight) {
  using State = Verdict::State;
  switch (sight.port) {
    case DaemonSight::Port::ours:
      return {State::running, name + ": running, answers on " + port_text(sight) +
                                  "; not started by lsf_daemons (no pid file)"};
    case DaemonSight::Port::stranger:
      return {State::ailing, name + ": not running; what answers on " + port_text(sight) +
                                 " does not hold this cluster's key"};
    case DaemonSight::Port::mute:
      return {State::ailing, name + ": not running; what listens on " + port_text(sight) + " says nothing"};
    case DaemonSight::Port::closed:
    case DaemonSight::Port::unasked:
      break;
  }
  if (sight.stale_pid != 0)
    return {State::ailing, name + ": not running; it ended without lsf_daemons (it was pid " +
                               std::to_string(sight.stale_pid) + ")"};
  return {State::stopped, name + ": not running"};
}

}  // namespace

const std::vector<DaemonKind>& daemon_kinds() {
  using Where = DaemonKind::Where;
  using Children = DaemonKind::Children;
  static const std::vector<DaemonKind> kinds{
      {"lim", "LSF_LIM_PORT", Where::every_host, Children::end_too},
      {"res", "LSF_RES_PORT", Where::server_hosts, Children::stay},
      {"mbatchd", "LSB_MBD_PORT", Where::batch_host, Children::end_too}};
  return kinds;
}

const DaemonKind* daemon_kind(std::string_view name) {
  for (const auto& kind : daemon_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

std::string why_not_here(const DaemonKind& kind, const HostRole& role) {
  if (kind.where == DaemonKind::Where::server_hosts && !role.server)
    return role.name + " is a client alone (server 0 in lsf.cluster)";
  if (kind.where == DaemonKind::Where::batch_host && role.name != role.batch_host)
    return role.batch_host.empty() ? "no host of this cluster may have it"
                                   : "it is on " + role.batch_host + " (ROLLCALL_MBD_HOST)";
  return "";
}

namespace {

// The pid is the only word of the file that kill(1) takes for a process: scripts say kill $(cat FILE).
constexpr std::string_view kStart = "start=", kBootWord = "boot=";

// An older release wrote the words without it.
std::string_view without(std::string_view word, std::string_view name) {
  return word.starts_with(name) ? word.substr(name.size()) : word;
}

}  // namespace

std::string pid_file_text(const ProcessMark& mark) {
  return std::to_string(mark.pid) + "\n" + std::string(kStart) + std::to_string(mark.ticks) + " " +
         std::string(kBootWord) + mark.boot + "\n";
}

Result<ProcessMark> parse_pid_file(std::string_view text, const std::string& path) {
  const auto first = text.find('\n');
  const auto blank = text.find(' ', first == std::string_view::npos ? 0 : first);
  if (first != std::string_view::npos && blank != std::string_view::npos && text.ends_with('\n')) {
    const auto pid = number<int>(text.substr(0, first));
    const auto ticks = number<std::uint64_t>(without(text.substr(first + 1, blank - first - 1), kStart));
    const std::string_view boot = without(text.substr(blank + 1, text.size() - blank - 2), kBootWord);
    if (pid && *pid > 1 && ticks && is_boot(boot)) return ProcessMark{*pid, *ticks, std::string(boot)};
  }
  return configuration_error(path + ": found something else, expected a daemon's pid, start and boot");
}

std::string started_with_directory(std::string_view cmdline) {
  bool next = false;
  while (!cmdline.empty()) {
    const std::string_view word = cmdline.substr(0, cmdline.find('\0'));
    if (next) return std::string(word);
    next = word == "-d";
    cmdline.remove_prefix(std::min(word.size() + 1, cmdline.size()));
  }
  return "";
}

// FNV-1a: the same on every host and in every release.
std::string path_mark(std::string_view path) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string mark;
  for (int shift = 60; shift >= 0; shift -= 4) mark.push_back(kDigits[(hash >> shift) & 15]);
  return mark;
}

std::string host_of_pid_file(const DaemonKind& kind, std::string_view file) {
  const std::string before = kind.name + ".";
  constexpr std::string_view kBehind = ".pid";
  if (file.size() <= before.size() + kBehind.size() || !file.starts_with(before) || !file.ends_with(kBehind))
    return "";
  return std::string(file.substr(before.size(), file.size() - before.size() - kBehind.size()));
}

namespace {

// The verdict on a daemon whose process lives.
Verdict judge_present(const DaemonKind& kind, const DaemonSight& sight) {
  using State = Verdict::State;
  const std::string running =
      kind.name + ": running, pid " + std::to_string(sight.pid) + ", since " + sight.since;
  switch (sight.port) {
    case DaemonSight::Port::ours:
    case DaemonSight::Port::unasked:
      break;
    case DaemonSight::Port::closed:
      return {State::ailing, running + "; but nothing listens on " + port_text(sight)};
    case DaemonSight::Port::mute:
      return {State::ailing, running + "; but nothing is said on " + port_text(sight)};
    case DaemonSight::Port::stranger:
      return {State::ailing,
              running + "; but what answers on " + port_text(sight) + " does not hold this cluster's key"};
  }
  return {State::running, running};
}

}  // namespace

Verdict judge(const DaemonKind& kind, const DaemonSight& sight) {
  if (sight.pid == 0) return judge_absent(kind.name, sight);
  Verdict verdict = judge_present(kind, sight);
  if (sight.older_name.empty()) return verdict;
  // It runs under the older host name, with files of that name.
  verdict.state = Verdict::State::ailing;
  verdict.line += "; started when this host was called " + last_line(sight.older_name) +
                  ": \"lsf_daemons restart\" starts it under the name of now";
  return verdict;
}

int status_code(const std::vector<Verdict>& verdicts) {
  const auto all = [&](Verdict::State state) {
    return std::all_of(verdicts.begin(), verdicts.end(), [&](const auto& v) { return v.state == state; });
  };
  if (all(Verdict::State::running)) return 0;
  return all(Verdict::State::stopped) ? 3 : 1;
}

std::vector<std::string> daemon_environment(const std::vector<std::string>& words, bool root,
                                            const DaemonWords& ours) {
  std::vector<std::string> passed;
  for (const auto& word : words) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    const bool listed = holds(kPassed, name) || (!root && holds(kPassedForUsers, name));
    if (!listed && !name.starts_with("LC_")) continue;
    passed.push_back(word);
  }
  if (root) passed.emplace_back(kRootsPath);
  passed.push_back("LSF_ENVDIR=" + ours.env_dir);
  passed.push_back("ROLLCALL_READY_FD=" + std::to_string(ours.ready_descriptor));
  passed.push_back("ROLLCALL_PID_FILE=" + ours.pid_file);
  if (!ours.starter.empty()) passed.push_back("ROLLCALL_DAEMONS=" + ours.starter);
  return passed;
}

std::string last_line(std::string_view log) {
  while (!log.empty() && static_cast<unsigned char>(log.back()) <= ' ') log.remove_suffix(1);
  const auto start = log.rfind('\n');
  if (start != std::string_view::npos) log.remove_prefix(start + 1);
  std::string line(log.substr(0, kLineBytes));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return line;
}

std::string unsafe_for(std::uint32_t user, const Ownership& file) {
  if (user != 0) return "";
  if (file.owner != 0) return "belongs to user " + std::to_string(file.owner) + ", expected root";
  const bool group_may = (file.mode & 020) != 0 && file.group != 0;
  const bool sticky = file.directory && (file.mode & 01000) != 0;  // only its owner can replace a file in it
  if ((group_may || (file.mode & 002) != 0) && !sticky)
    return "may be written by others than root, expected by root alone";
  return "";
}

}  // namespace rollcall::elim::show
