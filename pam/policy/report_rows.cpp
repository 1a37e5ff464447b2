#include "pam/policy/report_rows.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "pam/policy/roll_messages.hpp"

namespace rollcall::pam {
namespace {

std::string tid_text(std::uint32_t tid) {
  char text[16];
  std::snprintf(text, sizeof text, "%05u", tid);
  return text;
}

std::string status_text(const Task& task, bool killed_after_failure) {
  if (killed_after_failure) return "Killed after a failure";
  switch (task.state) {
    case TaskState::ended:
      return task.status.text();
    case TaskState::not_started:
      return "Not started";
    default:
      return "Lost";
  }
}

}  // namespace

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

std::vector<Tid> order_of_rows(const std::vector<std::uint32_t>& ids) {
  std::vector<Tid> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Tid a, Tid b) { return ids[a] < ids[b]; });
  return order;
}

std::vector<ReportRow> rows_of(const Roll& roll, bool fold) {
  std::vector<ReportRow> rows;
  const auto ids = table_ids(roll);
  const auto killed = killed_after_failure(roll).killed;
  const auto command = [&](Tid tid) -> const std::string& { return roll.tasks[tid].registration.command; };
  for (const Tid tid : order_of_rows(ids)) {
    const auto status = status_text(roll.tasks[tid], std::binary_search(killed.begin(), killed.end(), tid));
    const bool joins = fold && !rows.empty() && rows.back().status == status &&
                       command(rows.back().tasks.front()) == command(tid);
    if (!joins) rows.push_back({.status = status});
    rows.back().tasks.push_back(tid);
  }
  for (auto& row : rows) {
    std::set<std::string> hosts;
    for (const Tid tid : row.tasks) hosts.insert(roll.tasks[tid].registration.host);
    const bool many = row.tasks.size() > 1;
    row.tid = tid_text(ids[row.tasks.front()]) + (many ? "-" + tid_text(ids[row.tasks.back()]) : "");
    row.hosts = one_line(many ? fold_hosts(hosts) : *hosts.begin());
  }
  return rows;
}

}  // namespace rollcall::pam
