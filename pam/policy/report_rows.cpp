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

// One name as it is, several folded.
std::string hosts_of(const Roll& roll, const std::vector<Tid>& tids) {
  std::vector<std::uint32_t> numbers;
  for (const Tid tid : tids)
    if (numbers.empty() || numbers.back() != roll.tasks[tid].host) numbers.push_back(roll.tasks[tid].host);
  std::set<std::string> hosts;
  for (const auto number : numbers) hosts.insert(roll.tasks.hosts()[number]);
  return tids.size() > 1 ? fold_hosts(hosts) : *hosts.begin();
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

void for_each_row(const Roll& roll, bool fold, const std::function<void(const ReportRow&)>& take) {
  const auto ids = table_ids(roll);
  const auto killed = killed_after_failure(roll).killed;
  ReportRow row;
  const auto finish = [&] {
    if (row.tasks.empty()) return;
    const bool many = row.tasks.size() > 1;
    row.tid = tid_text(ids[row.tasks.front()]) + (many ? "-" + tid_text(ids[row.tasks.back()]) : "");
    row.hosts = one_line(hosts_of(roll, row.tasks));
    take(row);
  };
  for (const Tid tid : order_of_rows(ids)) {
    const Task& task = roll.tasks[tid];
    auto status = status_text(task, std::binary_search(killed.begin(), killed.end(), tid));
    const bool joins = fold && !row.tasks.empty() && row.status == status &&
                       roll.tasks[row.tasks.front()].command == task.command;
    if (!joins) {
      finish();
      row = {.status = std::move(status)};
    }
    row.tasks.push_back(tid);
  }
  finish();
}

}  // namespace rollcall::pam
