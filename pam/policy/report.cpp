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

void add_outcome(nlohmann::ordered_json& entry, const Task& task) {
  entry["state"] = state_name(task);
  if (const auto* failure = std::get_if<StartFailure>(&task.registration.outcome)) {
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
  entry["user_seconds"] = seconds(task.usage.user.count());
  entry["system_seconds"] = seconds(task.usage.system.count());
  entry["peak_memory_bytes"] = task.usage.peak_memory_bytes;
  entry["voluntary_switches"] = task.usage.voluntary_switches;
  entry["involuntary_switches"] = task.usage.involuntary_switches;
  entry["read_bytes"] = task.usage.read_bytes;
  entry["written_bytes"] = task.usage.written_bytes;
}

nlohmann::ordered_json task_entry(const Task& task, std::uint32_t id, bool killed_after_failure) {
  const Registration& r = task.registration;
  nlohmann::ordered_json entry;
  entry["tid"] = id;
  if (r.rank) entry["rank"] = *r.rank;
  entry["host"] = r.host;
  if (const auto* pid = std::get_if<pid_t>(&r.outcome)) entry["pid"] = *pid;
  entry["starter_pid"] = r.starter_pid;
  entry["command"] = r.command;
  entry["start"] = seconds(r.start_us);
  if (task.end_us != 0) entry["end"] = seconds(task.end_us);
  add_outcome(entry, task);
  if (killed_after_failure) entry["killed_after_failure"] = true;
  return entry;
}

}  // namespace

std::string closing_table(const Roll& roll, const std::string& command, const LocalTime& local_time,
                          bool fold) {
  const std::string job_line = "Job  " + one_line(command) + "\n";
  if (roll.tasks.empty()) return job_line;  // the launcher failed before any task registered
  std::string table = job_line + "\n" + kHeader;
  for (const auto& row : rows_of(roll, fold)) {
    std::int64_t end_us = 0;
    for (const Tid tid : row.tasks) end_us = std::max(end_us, roll.tasks[tid].end_us);
    const Task& task = roll.tasks[row.tasks.front()];
    table += printf_row(row.tid, row.hosts, one_line(task.registration.command), row.status,
                        end_us == 0 ? "" : local_time(end_us));
  }
  return table;
}

std::string json_report(const Roll& roll, const std::vector<std::string>& command, int exit_code) {
  nlohmann::ordered_json report;
  report["job"]["command"] = command;
  report["why"] = roll.why;
  report["exit_code"] = exit_code;
  if (roll.expected) report["expected_tasks"] = *roll.expected;
  report["tasks"] = nlohmann::ordered_json::array();
  const auto ids = table_ids(roll);
  const auto killed = killed_after_failure(roll).killed;
  for (const Tid tid : order_of_rows(ids))
    report["tasks"].push_back(
        task_entry(roll.tasks[tid], ids[tid], std::binary_search(killed.begin(), killed.end(), tid)));
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string progress_line(const Roll& roll, TimePoint now) {
  const std::string all = roll.expected ? " of " + std::to_string(*roll.expected) : "";
  const std::size_t ended = roll.registered() - roll.live;
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now.since_start).count();
  return std::to_string(roll.registered()) + all + " tasks registered, " + std::to_string(roll.hosts.size()) +
         " hosts, " + std::to_string(ended) + " tasks ended, " + std::to_string(waited) + " s";
}

}  // namespace rollcall::pam
