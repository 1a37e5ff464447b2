// The answer to bqueues.
#include <algorithm>

#include "common/base/civil_time.hpp"
#include "sched/policy/answers/answers_parts.hpp"
#include "sched/policy/cycle/preemptable_slots.hpp"

namespace rollcall::sched::answers {
namespace {

using Queue = wire::BatchReply::Queue;

std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

// The queue's default limits (`standard`), or its maxima.
wire::Limits limits_of(const conf::JobDefaults& jobs, bool standard) {
  wire::Limits limits;
  const auto pick = [standard](const auto& limit) { return standard ? limit.standard : limit.most; };
  if (const auto run = pick(jobs.run_limit)) {
    limits.set_run_s(whole_seconds(run->time));
    limits.set_run_spec(run->host_spec);
  }
  if (const auto cpu = pick(jobs.cpu_limit)) {
    limits.set_cpu_s(whole_seconds(cpu->time));
    limits.set_cpu_spec(cpu->host_spec);
  }
  if (const auto memory = pick(jobs.memory_limit)) limits.set_memory_kb(*memory);
  if (const auto processes = pick(jobs.process_limit)) limits.set_processes(*processes);
  if (const auto threads = pick(jobs.thread_limit)) limits.set_threads(*threads);
  if (standard) return limits;
  if (jobs.file_limit) limits.set_file_kb(*jobs.file_limit);
  if (jobs.data_limit) limits.set_data_kb(*jobs.data_limit);
  if (jobs.stack_limit) limits.set_stack_kb(*jobs.stack_limit);
  if (jobs.core_limit) limits.set_core_kb(*jobs.core_limit);
  if (jobs.swap_limit) limits.set_swap_kb(*jobs.swap_limit);
  return limits;
}

std::string host_word(const conf::HostItem& item) {
  std::string word = conf::name_of(item);
  if (item.first_execution) word += "!";
  return item.preference > 0 ? word + "+" + std::to_string(item.preference) : word;
}

// A group gets a "/" at its end.
std::string user_word(const AnswerView& view, const std::string& word) {
  const auto& groups = view.snapshot.rules().lsb->users.groups;
  const bool group = std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return g.name == word; });
  return group ? word + "/" : word;
}

bool takes_user(const AnswerView& view, const conf::QueueRow& row, const std::string& user) {
  if (user.empty() || user == "all" || row.users.empty()) return true;
  const auto names = view.snapshot.rules().names_of(user);
  return std::any_of(row.users.begin(), row.users.end(), [&](const std::string& word) {
    return word == "all" || std::find(names.begin(), names.end(), word) != names.end();
  });
}

// The hosts that a word of bqueues -m names: a host, or the members of a group.
std::vector<HostNumber> meant_hosts(const AnswerView& view, const std::string& name) {
  const auto& rules = view.snapshot.rules();
  if (const auto number = rules.host(official_host(view, name))) return {*number};
  const auto group = rules.host_groups.find(name);
  return group == rules.host_groups.end() ? std::vector<HostNumber>() : group->second;
}

bool has_host(const cycle::PlacementRules& rules, const cycle::QueueRule& rule,
              const std::vector<HostNumber>& meant) {
  if (!rule.hosts)
    return std::any_of(meant.begin(), meant.end(), [&](HostNumber host) { return !rules.borrowed(host); });
  return std::any_of(rule.hosts->begin(), rule.hosts->end(), [&](const cycle::HostPreference& preference) {
    return std::find(meant.begin(), meant.end(), preference.host) != meant.end();
  });
}

bool window_open(const AnswerView& view, const TimeWindows& windows) {
  const CivilTime now = utc_time(view.now.seconds() + view.snapshot.utc_offset_s);
  return windows.open({now.weekday, now.hour * 60 + now.minute});
}

void add_lines(const conf::QueueRow& row, Queue& queue) {
  for (const auto& line : row.shown) (*queue.mutable_lines())[line.keyword] = line.text;
}

void add_policies(const conf::QueueRow& row, Queue& queue) {
  queue.set_exclusive(row.exclusive);
  if (row.preemption.preemptive) queue.add_policies("PREEMPTIVE");
  if (row.preemption.preemptable) queue.add_policies("PREEMPTABLE");
  if (row.exclusive) queue.add_policies("EXCLUSIVE");
  using Interactive = conf::QueueRow::Interactive;
  if (row.interactive == Interactive::none) queue.set_interactive("NO");
  if (row.interactive == Interactive::only) queue.set_interactive("ONLY");
  if (!queue.interactive().empty()) queue.add_policies(queue.interactive() + "_INTERACTIVE");
}

void add_queue_counts(const book::StatusCounts& counts, wire::BatchReply::Counts& to) {
  to.set_jobs(counts.jobs);
  to.set_pending(counts.pend);
  to.set_running(counts.run);
  to.set_ssusp(counts.ssusp);
  to.set_ususp(counts.ususp);
  to.set_pending_jobs(counts.pending_jobs);
}

Queue queue_of(const AnswerView& view, const cycle::QueueRule& rule) {
  const auto& row = *rule.row;
  const auto& params = view.snapshot.rules().lsb->params;
  Queue queue;
  queue.set_name(row.name);
  queue.set_description(row.jobs.description);
  queue.set_priority(row.priority);
  const auto control = view.jobs.queue_control(row.name);
  queue.set_open(control.open);
  queue.set_active(control.active);
  queue.set_comment(control.state.comment());
  queue.set_window_open(window_open(view, row.run_windows) && window_open(view, row.dispatch_windows));
  if (row.queue_limit) queue.set_max(static_cast<std::uint32_t>(*row.queue_limit));
  if (row.user_limit) queue.set_user_limit(static_cast<std::uint32_t>(*row.user_limit));
  if (row.processor_limit) queue.set_processor_limit(*row.processor_limit);
  if (row.host_limit) queue.set_host_limit(static_cast<std::uint32_t>(*row.host_limit));
  add_queue_counts(view.jobs.queue_counts(row.name), *queue.mutable_counts());
  queue.set_nice(row.jobs.nice);
  for (const auto& threshold : rule.thresholds) {
    auto& added = *queue.add_thresholds();
    added.set_index(view.snapshot.rules().indices().at(threshold.index).name);
    if (threshold.schedule) added.set_schedule(*threshold.schedule);
    if (threshold.stop) added.set_stop(*threshold.stop);
  }
  *queue.mutable_limits() = limits_of(row.jobs, false);
  *queue.mutable_default_limits() = limits_of(row.jobs, true);
  for (const auto& user : row.users) queue.add_users(user_word(view, user));
  for (const auto& host : row.hosts) queue.add_hosts(host_word(host));
  for (const auto& name : row.administrators) queue.add_administrators(name);
  for (const int limit : row.jobs.task_limit) queue.add_task_limit(limit);
  queue.set_run_windows(row.run_windows.text());
  queue.set_dispatch_windows(row.dispatch_windows.text());
  queue.set_accept_interval_s(static_cast<std::int32_t>(rule.accept_interval_s));
  const auto& defaults = params.default_queues;
  queue.set_is_default(std::find(defaults.begin(), defaults.end(), row.name) != defaults.end());
  add_lines(row, queue);
  add_policies(row, queue);
  return queue;
}

// One look at all running jobs.
void add_preemptable(const AnswerView& view, std::vector<Queue>& queues) {
  const auto& rules = view.snapshot.rules();
  if (!rules.preempts_any) return;
  const auto slots = cycle::preemptable_slots(view.snapshot, view.now);
  for (Queue& queue : queues)
    if (const auto number = *rules.queue(queue.name()); !rules.preempts[number].empty())
      queue.set_preemptable_slots(slots[number].slots);
}

}  // namespace

std::vector<wire::BatchReply> queues_answer(const AnswerView& view, const wire::AskQueues& ask) {
  const auto& rules = view.snapshot.rules();
  for (const auto& name : ask.queues())
    if (!rules.queue(name))
      return {refused_answer(wire::BatchReply::Refusal::NO_QUEUE, name + ": No such queue")};
  const bool every_host = ask.host().empty() || ask.host() == "all";
  const auto meant = every_host ? std::vector<HostNumber>() : meant_hosts(view, ask.host());
  if (!every_host && meant.empty())
    return {refused_answer(wire::BatchReply::Refusal::NO_HOST, ask.host() + ": No such host or host group")};
  std::vector<const cycle::QueueRule*> chosen;
  for (const auto& rule : rules.queues) {
    const bool named = ask.queues_size() == 0 ||
                       std::find(ask.queues().begin(), ask.queues().end(), rule.name) != ask.queues().end();
    if (named && takes_user(view, *rule.row, ask.user()) &&
        (every_host || has_host(view.snapshot.rules(), rule, meant)))
      chosen.push_back(&rule);
  }
  // As bqueues lists them: the highest priority first.
  std::stable_sort(chosen.begin(), chosen.end(), [](const cycle::QueueRule* a, const cycle::QueueRule* b) {
    return a->priority > b->priority;
  });
  std::vector<Queue> queues;
  for (const auto* rule : chosen) queues.push_back(queue_of(view, *rule));
  if (ask.preemptable()) add_preemptable(view, queues);
  return in_parts(queues, [](wire::BatchReply& part, const Queue* queue) {
    auto& to = *part.mutable_queues();
    if (queue != nullptr) *to.add_queues() = *queue;
  });
}

}  // namespace rollcall::sched::answers
