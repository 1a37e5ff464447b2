// The table, as measured on real output:
//   "Job  " command "\n\n"
//   TID   HOST_NAME   COMMAND_LINE            STATUS            TERMINATION_TIME
//   ===== ========== ================  =======================  ===================
//   %05d %-10.10s %-16.16s  %-23s  %s
#include "pam/policy/report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "pam/policy/report_rows.hpp"
#include "pam/policy/roll_messages.hpp"

namespace rollcall::pam {
namespace {

constexpr const char* kHeader =
    "TID   HOST_NAME   COMMAND_LINE            STATUS            TERMINATION_TIME\n"
    "===== ========== ================  =======================  ===================\n";

std::string printf_row(const std::string& tid, const std::string& host, const std::string& command,
                       const std::string& status, const std::string& time) {
  char line[512];
  std::snprintf(line, sizeof line, "%s %-10.10s %-16.16s  %-23s  %s\n", tid.c_str(), host.c_str(),
                command.c_str(), status.c_str(), time.c_str());
  return line;
}

std::string dumped(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// As an element of a member of the whole: four blanks before each line. No text in JSON has a newline.
std::string indented(const std::string& json) {
  std::string text = "    ";
  for (const char c : json) {
    text += c;
    if (c == '\n') text += "    ";
  }
  return text;
}

nlohmann::json seconds(std::int64_t us) { return static_cast<double>(us) / 1e6; }

const char* state_name(const Task& task) {
  switch (task.state) {
    case TaskState::ended:
      return task.status.by_signal() ? "signal" : task.status.success() ? "done" : "exit";
    case TaskState::not_started:
      return "not started";
    default:
      return "lost";
  }
}

void add_outcome(nlohmann::ordered_json& entry, const Roll& roll, Tid tid) {
  const Task& task = roll.tasks[tid];
  entry["state"] = state_name(task);
  if (const StartFailure* failure = roll.tasks.failure(task)) {
    entry["error"] = "cannot " + failure->stage + " " + failure->path + ": " +
                     std::generic_category().message(failure->error);
    return;
  }
  if (task.state != TaskState::ended) return;
  if (task.status.by_signal()) {
    entry["signal"] = task.status.signo();
    entry["core_dumped"] = task.status.core_dumped();
  } else {
    entry["exit"] = task.status.code();
  }
  const TaskUsage usage = roll.tasks.usage(tid);
  entry["user_seconds"] = seconds(usage.user.count());
  entry["system_seconds"] = seconds(usage.system.count());
  entry["peak_memory_bytes"] = usage.peak_memory_bytes;
  entry["voluntary_switches"] = usage.voluntary_switches;
  entry["involuntary_switches"] = usage.involuntary_switches;
  entry["read_bytes"] = usage.read_bytes;
  entry["written_bytes"] = usage.written_bytes;
}

nlohmann::ordered_json task_entry(const Roll& roll, Tid tid, std::uint32_t id, bool killed_after_failure) {
  const Task& task = roll.tasks[tid];
  nlohmann::ordered_json entry;
  entry["tid"] = id;
  if (task.rank) entry["rank"] = *task.rank;
  entry["host"] = roll.tasks.host(task);
  if (roll.tasks.failure(task) == nullptr) entry["pid"] = task.pid;
  entry["starter_pid"] = task.starter_pid;
  entry["command"] = roll.tasks.command(task);
  entry["start"] = seconds(task.start_us);
  if (task.known_us != 0) entry["registered"] = seconds(task.known_us);
  if (task.end_us != 0) entry["end"] = seconds(task.end_us);
  add_outcome(entry, roll, tid);
  if (killed_after_failure) entry["killed_after_failure"] = true;
  return entry;
}

}  // namespace

void closing_table(const Roll& roll, const std::string& command, const LocalTime& local_time, bool fold,
                   const TextSink& sink) {
  sink("Job  " + one_line(command) + "\n");
  if (roll.tasks.empty()) return;  // the launcher failed before any task registered
  sink("\n");
  sink(kHeader);
  for_each_row(roll, fold, [&](const ReportRow& row) {
    std::int64_t end_us = 0;
    for (const Tid tid : row.tasks) end_us = std::max(end_us, roll.tasks[tid].end_us);
    const Task& task = roll.tasks[row.tasks.front()];
    sink(printf_row(row.tid, row.hosts, one_line(roll.tasks.command(task)), row.status,
                    end_us == 0 ? "" : local_time(end_us)));
  });
}

// As nlohmann's dump(2) of the whole would be, one task at a time.
void json_report(const Roll& roll, const std::vector<std::string>& command, int exit_code,
                 const TextSink& sink) {
  nlohmann::ordered_json report;
  report["job"]["command"] = command;
  if (roll.launched_us != 0) report["job"]["start"] = seconds(roll.launched_us);
  report["why"] = roll.why;
  report["exit_code"] = exit_code;
  if (roll.expected) report["expected_tasks"] = *roll.expected;
  const std::string head = dumped(report);
  sink(std::string_view(head).substr(0, head.size() - 2));  // without "\n}"
  sink(",\n  \"tasks\": [");
  const auto ids = table_ids(roll);
  const auto killed = killed_after_failure(roll).killed;
  const char* before = "\n";
  for (const Tid tid : order_of_rows(ids)) {
    const bool was_killed = std::binary_search(killed.begin(), killed.end(), tid);
    sink(before + indented(dumped(task_entry(roll, tid, ids[tid], was_killed))));
    before = ",\n";
  }
  sink(roll.tasks.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string progress_line(const Roll& roll, TimePoint now) {
  const std::string all = roll.expected ? " of " + std::to_string(*roll.expected) : "";
  const std::size_t ended = roll.registered() - roll.live;
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now.since_start).count();
  const std::string wait = roll.waiting > 0 ? std::to_string(roll.waiting) + " told to wait, " : "";
  return std::to_string(roll.registered()) + all + " tasks registered, " +
         std::to_string(roll.tasks.hosts().size()) + " hosts, " + wait + std::to_string(ended) +
         " tasks ended, " + std::to_string(waited) + " s";
}

}  // namespace rollcall::pam
