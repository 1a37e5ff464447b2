// Tasks: what pam keeps of every task that has registered, by Tid. A value.
//
// A launch may have a million tasks, so a Task is small (kTaskBytes, and its place in an index): host names, command lines and failures are kept once
// and referred to by number. What a task used is kept for each task only where somebody asks for it (--usage, --report);
// the sums are always kept. Owned by the Roll; step() alone changes it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pam/policy/roll_events.hpp"

namespace rollcall::pam {

inline constexpr std::size_t kTaskBytes =
    128;  // the most that a task costs here without --usage and --report

// Texts, each kept once, numbered from 0 in the order of arrival.
class Names {
 public:
  Names() = default;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;
  std::uint32_t number_of(std::string_view name);  // adds it where it is new
  std::optional<std::uint32_t> find(std::string_view name) const;
  const std::string& operator[](std::uint32_t number) const { return names_[number]; }
  std::size_t size() const { return names_.size(); }
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }

 private:
  std::deque<std::string> names_;  // its texts stay where they are: numbers_ refers to them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

enum class TaskState : std::uint8_t { running, away, ended, not_started, lost };

struct Task {
  std::int64_t start_us = 0;          // microseconds since 1970
  std::int64_t end_us = 0;            // the same; 0 while it lives
  std::int64_t known_us = 0;          // when its registration came, by pam's clock; 0: it was not told
  ConnectionId connection = 0;        // only while running
  std::uint32_t host = 0;             // a number of Tasks::hosts
  std::uint32_t command = 0;          // a number of Tasks' commands
  pid_t starter_pid = 0;              // what the launcher started
  pid_t inner_pid = 0;                // the task's parent
  pid_t pid = 0;                      // the task's; 0 where it was not started
  std::uint32_t failure = 0;          // its number plus 1, where it was not started
  std::uint32_t gone = 0;             // its place among all that ended, went away or were given up
  std::optional<std::uint32_t> rank;  // the launcher's
  ExitStatus status = ExitStatus::exited(0);  // only when ended
  TaskState state = TaskState::running;

  bool live() const { return state == TaskState::running || state == TaskState::away; }
};
static_assert(sizeof(Task) <= kTaskBytes);

class Tasks {
 public:
  // keep_usage: what each task used is kept, not only the sums.
  explicit Tasks(bool keep_usage = true) : keep_usage_(keep_usage) {}

  Tid add(const Registration& registration, ConnectionId connection);
  // The task that was added for the same TaskStarter and start; none where these are not told (starter_pid 0).
  std::optional<Tid> find(const Registration& registration) const;
  void add_usage(Tid tid, const TaskUsage& usage);

  std::size_t size() const { return tasks_.size(); }
  bool empty() const { return tasks_.empty(); }
  Task& operator[](Tid tid) { return tasks_[tid]; }
  const Task& operator[](Tid tid) const { return tasks_[tid]; }
  auto begin() const { return tasks_.begin(); }
  auto end() const { return tasks_.end(); }

  const Names& hosts() const { return hosts_; }
  const std::string& host(const Task& task) const { return hosts_[task.host]; }
  const std::string& command(const Task& task) const { return commands_[task.command]; }
  const StartFailure* failure(const Task& task) const;  // null where the task was started

  bool keeps_usage() const { return keep_usage_; }
  // Usage of the task and of all that it started. Empty before it ended, and where pam keeps no usage for each task.
  TaskUsage usage(Tid tid) const { return tid < usage_.size() ? usage_[tid] : TaskUsage{}; }
  const TaskUsage& used() const { return used_; }  // by all that ended; of memory the largest

 private:
  struct Starter {
    std::uint32_t host = 0;
    pid_t pid = 0;
    std::int64_t start_us = 0;
    friend bool operator==(const Starter&, const Starter&) = default;
  };
  struct HashOfStarter {
    std::size_t operator()(const Starter& of) const;
  };

  bool keep_usage_;
  std::deque<Task> tasks_;
  std::unordered_map<Starter, Tid, HashOfStarter> starters_;
  Names hosts_;
  Names commands_;
  std::map<StartFailure, std::uint32_t> failure_numbers_;
  std::vector<const StartFailure*> failures_;  // its keys, by number
  std::deque<TaskUsage> usage_;                // by Tid, where it is kept
  TaskUsage used_;
};

// Adds `one` to the sums; of memory the larger.
void add_usage(TaskUsage& total, const TaskUsage& one);

}  // namespace rollcall::pam
