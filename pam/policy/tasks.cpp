#include "pam/policy/tasks.hpp"

#include <algorithm>

namespace rollcall::pam {

std::uint32_t Names::number_of(std::string_view name) {
  if (const auto known = find(name)) return *known;
  const auto number = static_cast<std::uint32_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), number);
  return number;
}

std::optional<std::uint32_t> Names::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

Tid Tasks::add(const Registration& registration, ConnectionId connection) {
  Task task;
  task.connection = connection;
  task.host = hosts_.number_of(registration.host);
  task.command = commands_.number_of(registration.command);
  task.starter_pid = registration.starter_pid;
  task.inner_pid = registration.inner_pid;
  task.start_us = registration.start_us;
  task.rank = registration.rank;
  if (const auto* failure = std::get_if<StartFailure>(&registration.outcome)) {
    const auto number = static_cast<std::uint32_t>(failures_.size());
    const auto [known, is_new] = failure_numbers_.emplace(*failure, number);
    if (is_new) failures_.push_back(&known->first);
    task.failure = known->second + 1;
    task.state = TaskState::not_started;
    task.end_us = registration.start_us;
  } else {
    task.pid = std::get<pid_t>(registration.outcome);
  }
  tasks_.push_back(task);
  const auto tid = static_cast<Tid>(tasks_.size() - 1);
  if (task.starter_pid != 0) starters_.emplace(Starter{task.host, task.starter_pid, task.start_us}, tid);
  return tid;
}

std::optional<Tid> Tasks::find(const Registration& registration) const {
  const auto host = hosts_.find(registration.host);
  if (!host || registration.starter_pid == 0) return std::nullopt;
  const auto known = starters_.find(Starter{*host, registration.starter_pid, registration.start_us});
  return known == starters_.end() ? std::nullopt : std::optional(known->second);
}

std::size_t Tasks::HashOfStarter::operator()(const Starter& of) const {
  const std::uint64_t mixed = (std::uint64_t{of.host} << 32 | static_cast<std::uint32_t>(of.pid)) *
                              0x9e3779b97f4a7c15U;  // of the golden ratio: hosts and pids are dense
  return std::hash<std::uint64_t>{}(mixed ^ mixed >> 29 ^ static_cast<std::uint64_t>(of.start_us));
}

void Tasks::add_usage(Tid tid, const TaskUsage& usage) {
  pam::add_usage(used_, usage);
  if (!keep_usage_) return;
  if (usage_.size() <= tid) usage_.resize(tid + std::size_t{1});
  usage_[tid] = usage;
}

const StartFailure* Tasks::failure(const Task& task) const {
  return task.failure == 0 ? nullptr : failures_[task.failure - 1];
}

void add_usage(TaskUsage& total, const TaskUsage& one) {
  total.user += one.user;
  total.system += one.system;
  total.peak_memory_bytes = std::max(total.peak_memory_bytes, one.peak_memory_bytes);
  total.voluntary_switches += one.voluntary_switches;
  total.involuntary_switches += one.involuntary_switches;
  total.read_bytes += one.read_bytes;
  total.written_bytes += one.written_bytes;
}

}  // namespace rollcall::pam
