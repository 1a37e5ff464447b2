#include "pam/policy/roll_messages.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <map>
#include <system_error>
#include <tuple>

namespace rollcall::pam {
namespace {

// A host name as the text before its first run of digits that ends the first label, that number, and the rest:
// n12.site -> ("n", "12", ".site").
struct HostParts {
  std::string stem;
  std::string digits;
  std::string rest;
  auto key() const { return std::tuple(stem, rest, digits.size(), digits); }
};

HostParts split(const std::string& name) {
  std::size_t label = name.find('.');
  if (label == std::string::npos) label = name.size();
  std::size_t digits = label;
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  if (label - digits > 9) digits = label;  // too large a number: part of the stem
  return {name.substr(0, digits), name.substr(digits, label - digits), name.substr(label)};
}

bool follows(const HostParts& last, const HostParts& next) {
  return !last.digits.empty() && last.stem == next.stem && last.rest == next.rest &&
         last.digits.size() == next.digits.size() && std::stol(next.digits) == std::stol(last.digits) + 1;
}

std::string whole(const HostParts& parts) { return parts.stem + parts.digits + parts.rest; }

std::string missing_ranks(const Roll& roll) {
  constexpr std::size_t kMostSaid = 8;
  RankRanges seen;
  for (const auto& task : roll.tasks)
    if (task.rank) seen.insert(*task.rank);
  if (seen.empty() || !roll.expected) return {};
  std::string ranges;
  std::size_t said = 0;
  for (const auto& [first, last] : seen.missing(static_cast<std::uint32_t>(*roll.expected), kMostSaid + 1)) {
    if (++said > kMostSaid) return "; missing ranks " + ranges + ",...";
    ranges += (ranges.empty() ? "" : ",") + std::to_string(first);
    if (last > first) ranges += "-" + std::to_string(last);
  }
  return ranges.empty() ? "" : "; missing ranks " + ranges;
}

std::string short_name(const std::string& name) { return name.substr(0, name.find('.')); }

struct HostCount {
  std::string host;
  std::string count;  // "2 of 4", "2"
};

// Hosts of the allocation in its order, then others by name. A TaskStarter may say its host's name with or without its domain.
std::vector<HostCount> host_counts(const Roll& roll) {
  std::vector<int> counts(roll.tasks.hosts().size());
  for (const auto& task : roll.tasks) ++counts[task.host];
  std::map<std::string, std::map<std::string, int>> by_short_name;
  for (std::uint32_t number = 0; number < counts.size(); ++number) {
    const std::string& name = roll.tasks.hosts()[number];
    by_short_name[short_name(name)][name] = counts[number];
  }
  std::vector<HostCount> list;
  for (const auto& host : roll.rules.hosts.hosts()) {
    int count = 0;
    if (const auto names = by_short_name.extract(short_name(host.name)))
      for (const auto& entry : names.mapped()) count += entry.second;
    list.push_back({host.name, std::to_string(count) + " of " + std::to_string(host.slots)});
  }
  std::map<std::string, int> others;
  for (const auto& entry : by_short_name) others.insert(entry.second.begin(), entry.second.end());
  for (const auto& [host, count] : others) list.push_back({host, std::to_string(count)});
  return list;
}

std::string counts_per_host(const Roll& roll) {
  constexpr std::size_t kMostSaidEach = 16;
  const auto list = host_counts(roll);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? ": " : ", ") + part; };
  if (list.size() <= kMostSaidEach) {
    for (const auto& [host, count] : list) add(host + " " + count);
    return text;
  }
  std::map<std::string, std::set<std::string>> alike;
  for (const auto& [host, count] : list) alike[count].insert(host);
  for (const auto& [count, hosts] : alike)
    add(fold_hosts(hosts) + " " + count + (hosts.size() > 1 ? " each" : ""));
  return text;
}

}  // namespace

std::string fold_hosts(const std::set<std::string>& hosts) {
  std::vector<HostParts> parts;
  for (const auto& host : hosts) parts.push_back(split(host));
  std::sort(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.key() < b.key(); });
  std::string text;
  for (std::size_t first = 0; first < parts.size();) {
    std::size_t last = first;
    while (last + 1 < parts.size() && follows(parts[last], parts[last + 1])) ++last;
    text += (text.empty() ? "" : ",") + whole(parts[first]);
    if (last > first) text += "-" + whole(parts[last]);
    first = last + 1;
  }
  return text;
}

std::vector<std::string> not_started_lines(const Roll& roll) {
  std::map<StartFailure, std::pair<std::size_t, std::set<std::string>>> kinds;
  for (const auto& task : roll.tasks) {
    if (const StartFailure* failure = roll.tasks.failure(task)) {
      auto& [count, hosts] = kinds[*failure];
      ++count;
      hosts.insert(roll.tasks.host(task));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [failure, where] : kinds)
    lines.push_back(std::to_string(where.first) + " of " + std::to_string(roll.tasks.size()) +
                    " tasks: cannot " + failure.stage + " " + failure.path + ": " +
                    std::generic_category().message(failure.error) +
                    (where.second.size() == 1 ? " (host " : " (hosts ") + fold_hosts(where.second) + ")");
  return lines;
}

std::string missing_line(const Roll& roll, Duration timeout, const std::string& parameter) {
  const std::string all = roll.expected ? " of " + std::to_string(*roll.expected) : "";
  const std::string then = roll.extended ? " and while more came, none for " +
                                               seconds_text(roll.rules.registration_timeout / kPartsOfTimeout)
                                         : "";
  const std::string wait =
      roll.waiting > 0
          ? "; " + std::to_string(roll.waiting) +
                " more wait until pam has descriptors for them: raise the hard limit (ulimit -Hn)"
          : "";
  return std::to_string(roll.registered()) + all + " tasks registered within " + seconds_text(timeout) +
         " (" + parameter + ")" + then + counts_per_host(roll) + missing_ranks(roll) + wait;
}

std::string still_coming_line(const Roll& roll) {
  const std::string all = roll.expected ? " of " + std::to_string(*roll.expected) : "";
  return std::to_string(roll.registered()) + all + " tasks on " + std::to_string(roll.tasks.hosts().size()) +
         " hosts registered within " + seconds_text(roll.rules.registration_timeout) +
         " (LSF_HPC_PJL_LOADENV_TIMEOUT), and more come: the job goes on while they do";
}

std::string fewer_line(const Roll& roll) {
  return "only " + std::to_string(roll.registered()) + " of " + std::to_string(roll.expected.value_or(0)) +
         " tasks registered before the launcher " + roll.rules.launcher + " ended" + counts_per_host(roll) +
         missing_ranks(roll);
}

KilledAfterFailure killed_after_failure(const Roll& roll) {
  if (roll.launcher_status && roll.launcher_status->by_signal()) return {};  // that is what came first
  const auto failed = [](const Task& task) {
    return task.state == TaskState::ended && task.status.shell_code() != 0;
  };
  // A task whose TaskStarter was killed has no status, and takes the others along all the same.
  const auto lost = [](const Task& task) { return task.state == TaskState::lost; };
  KilledAfterFailure result;
  for (Tid tid = 0; tid < roll.tasks.size(); ++tid) {
    const Task& task = roll.tasks[tid];
    if (!failed(task) && !lost(task)) continue;
    if (!result.first || task.gone < roll.tasks[*result.first].gone) result.first = tid;
  }
  if (!result.first) return {};
  const bool first_lost = lost(roll.tasks[*result.first]);
  const ExitStatus& status = roll.tasks[*result.first].status;
  for (const auto& asked : roll.signals) {
    const int signo = asked.signal.signo;
    if (first_lost ? signo == SIGKILL || signo == SIGTERM : status.by_signal() && signo == status.signo())
      return {};
  }
  for (Tid tid = 0; tid < roll.tasks.size(); ++tid) {
    const ExitStatus& other = roll.tasks[tid].status;
    if (tid == *result.first || !failed(roll.tasks[tid]) || !other.by_signal()) continue;
    if (other.signo() == SIGKILL || other.signo() == SIGTERM) result.killed.push_back(tid);
  }
  return result;
}

std::string first_failure_line(const Roll& roll) {
  const auto [first, killed] = killed_after_failure(roll);
  if (killed.empty()) return "";
  std::set<std::string> hosts;
  for (const Tid tid : killed) hosts.insert(roll.tasks.host(roll.tasks[tid]));
  const bool lost = roll.tasks[*first].state == TaskState::lost;
  return task_name(roll, *first) +
         (lost ? " was lost first; " : " failed first, with " + roll.tasks[*first].status.text() + "; ") +
         std::to_string(killed.size()) + (killed.size() == 1 ? " more was" : " more were") +
         " killed after it (" + fold_hosts(hosts) + ")";
}

std::string lost_process(const std::string& name, pid_t pid, const std::string& host,
                         const std::optional<ExitStatus>& status) {
  std::string line = name + " (pid " + std::to_string(pid) + ") on " + host;
  if (!status) return line + " is gone";
  if (status->by_signal())
    return line + " was killed by signal " + std::to_string(status->signo()) + " (" +
           signal_name(status->signo()) + ")";
  return line + " exited with " + std::to_string(status->code());
}

std::string task_name(const Roll& roll, Tid tid) {
  const Task& task = roll.tasks[tid];
  std::string name = "task " + std::to_string(task.rank.value_or(tid));
  if (roll.tasks.failure(task) == nullptr) name += " (pid " + std::to_string(task.pid) + ")";
  return name + " on " + roll.tasks.host(task);
}

std::string loss_line(const Roll& roll, Tid tid, LossCause cause) {
  if (cause.kind == LossCause::Kind::no_answer) return task_name(roll, tid) + " does not answer: given up";
  const bool killed = cause.kind == LossCause::Kind::starter_killed;
  const pid_t pid = killed ? cause.pid : roll.tasks[tid].inner_pid;
  return "TaskStarter (pid " + std::to_string(pid) + ") of " + task_name(roll, tid) +
         (killed ? " was killed: its task was ended" : " is lost");
}

std::string seconds_text(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g s", std::chrono::duration<double>(duration).count());
  return text;
}

}  // namespace rollcall::pam
