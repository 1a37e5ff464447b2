#include "sched/policy/jobs/job_terms.hpp"

#include <algorithm>

#include "sched/policy/jobs/site_rules.hpp"

namespace rollcall::sched::jobs {
namespace {

// One kind of limit: how to read it from a submission, and its default and maximum from the files.
struct LimitRow {
  std::string_view keyword;
  std::optional<std::int64_t> (*asked)(const wire::Limits&);
  void (*set)(wire::Limits&, std::int64_t);
  std::optional<std::int64_t> (*standard)(const conf::JobDefaults&);
  std::optional<std::int64_t> (*most)(const conf::JobDefaults&);
};

std::optional<std::int64_t> seconds_of(const std::optional<conf::TimeLimit>& limit) {
  if (!limit) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(limit->time).count();
}
template <class T>
std::optional<std::int64_t> whole(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}
std::optional<std::int64_t> nothing(const conf::JobDefaults&) { return std::nullopt; }

#define ROLLCALL_LIMIT(field)                                \
  [](const wire::Limits& l) -> std::optional<std::int64_t> { \
    if (!l.has_##field()) return std::nullopt;               \
    return l.field();                                        \
  },                                                         \
      [](wire::Limits& l, std::int64_t v) { l.set_##field(v); }

const LimitRow kLimits[] = {
    {"CORELIMIT", ROLLCALL_LIMIT(core_kb), nothing,
     [](const conf::JobDefaults& q) { return whole(q.core_limit); }},
    {"CPULIMIT", ROLLCALL_LIMIT(cpu_s),
     [](const conf::JobDefaults& q) { return seconds_of(q.cpu_limit.standard); },
     [](const conf::JobDefaults& q) { return seconds_of(q.cpu_limit.most); }},
    {"DATALIMIT", ROLLCALL_LIMIT(data_kb), nothing,
     [](const conf::JobDefaults& q) { return whole(q.data_limit); }},
    {"FILELIMIT", ROLLCALL_LIMIT(file_kb), nothing,
     [](const conf::JobDefaults& q) { return whole(q.file_limit); }},
    {"MEMLIMIT", ROLLCALL_LIMIT(memory_kb),
     [](const conf::JobDefaults& q) { return whole(q.memory_limit.standard); },
     [](const conf::JobDefaults& q) { return whole(q.memory_limit.most); }},
    {"PROCESSLIMIT", ROLLCALL_LIMIT(processes),
     [](const conf::JobDefaults& q) { return whole(q.process_limit.standard); },
     [](const conf::JobDefaults& q) { return whole(q.process_limit.most); }},
    {"RUNLIMIT", ROLLCALL_LIMIT(run_s),
     [](const conf::JobDefaults& q) { return seconds_of(q.run_limit.standard); },
     [](const conf::JobDefaults& q) { return seconds_of(q.run_limit.most); }},
    {"STACKLIMIT", ROLLCALL_LIMIT(stack_kb), nothing,
     [](const conf::JobDefaults& q) { return whole(q.stack_limit); }},
    {"SWAPLIMIT", ROLLCALL_LIMIT(swap_kb), nothing,
     [](const conf::JobDefaults& q) { return whole(q.swap_limit); }},
    {"THREADLIMIT", ROLLCALL_LIMIT(threads),
     [](const conf::JobDefaults& q) { return whole(q.thread_limit.standard); },
     [](const conf::JobDefaults& q) { return whole(q.thread_limit.most); }},
};
#undef ROLLCALL_LIMIT

// A single number of a profile is the default of its jobs; of two numbers the second is their maximum.
std::optional<std::int64_t> standard_of(const LimitRow& row, const conf::ApplicationProfile& profile) {
  const auto standard = row.standard(profile.jobs);
  return standard ? standard : row.most(profile.jobs);
}
std::optional<std::int64_t> most_of(const LimitRow& row, const conf::ApplicationProfile& profile) {
  return row.standard(profile.jobs) ? row.most(profile.jobs) : std::nullopt;
}

// The profile's value, else the queue's, else `otherwise` (of lsb.params).
std::optional<int> first_said(const JobTerms& terms, std::optional<int> conf::JobDefaults::*number,
                              std::optional<int> otherwise) {
  if (terms.application && terms.application->jobs.*number) return terms.application->jobs.*number;
  if (terms.queue && terms.queue->jobs.*number) return terms.queue->jobs.*number;
  return otherwise;
}

conf::RequeueExits requeue_exits(const JobTerms& terms, const wire::Submission& asked) {
  if (!asked.requeue_exits().empty()) {
    const auto exits = conf::parse_requeue_exits(asked.requeue_exits());
    return exits ? *exits : conf::RequeueExits{};
  }
  if (terms.application && terms.application->requeue_exits) return *terms.application->requeue_exits;
  return terms.queue ? terms.queue->jobs.requeue_exits : conf::RequeueExits{};
}

// The host or model to which a limit of the files refers; bjobs -l shows it after the minutes.
std::string spec_of(const JobTerms& terms, conf::Limit<conf::TimeLimit> conf::JobDefaults::*limit,
                    std::int64_t limit_s) {
  for (const conf::JobDefaults* defaults :
       {terms.application ? &terms.application->jobs : nullptr, terms.queue ? &terms.queue->jobs : nullptr})
    if (defaults != nullptr)
      for (const auto* said : {&(defaults->*limit).standard, &(defaults->*limit).most})
        if (seconds_of(*said) == limit_s) return (*said)->host_spec;
  return {};
}

// Replaces `text` by `own`, unless that is empty.
void lay_over(const std::string& own, std::string& text) {
  if (!own.empty()) text = own;
}

}  // namespace

bool rerunnable(const JobTerms& terms, const wire::Submission& asked) {
  if (asked.has_rerunnable()) return asked.rerunnable();
  if (terms.application && terms.application->rerunnable) return *terms.application->rerunnable;
  return terms.queue && terms.queue->rerunnable;
}

JobTerms terms_of(const ConfigView& config, std::string_view queue, const wire::Submission& asked) {
  return {config.lsb->queue(queue), config.lsb->application(asked.application())};
}

JobRules job_rules(const ConfigView& config, const JobTerms& terms, const wire::Submission& asked) {
  const BookParameters params = book_parameters(config);
  JobRules rules;
  rules.requeue_exits = requeue_exits(terms, asked);
  rules.rerunnable = rerunnable(terms, asked);
  rules.most_requeues = first_said(terms, &conf::JobDefaults::most_requeues, params.most_requeues);
  rules.most_preexec_retries =
      first_said(terms, &conf::JobDefaults::preexec_retries, config.lsb->params.preexec_retries);
  rules.most_remote_preexec_retries = *first_said(terms, &conf::JobDefaults::remote_preexec_retries,
                                                  config.lsb->params.remote_preexec_retries);
  rules.exit_after_preexec_retries = params.exit_after_preexec_retries;
  rules.sequential = min_slots(asked) <= 1 || config.cluster->programs.mbatchd.sequential_signals;
  rules.longest_pause_s = params.longest_pause_s;
  rules.avoid_s = std::max<std::int64_t>(
      1, std::chrono::duration_cast<std::chrono::seconds>(config.lsb->params.mbd_sleep_time).count());
  if (terms.queue) {
    if (const auto times = terms.queue->max_reschedule_time) rules.recall_after_s = *times * rules.avoid_s;
    rules.queue_pre_exec = terms.queue->jobs.pre_exec;
    rules.queue_post_exec = terms.queue->jobs.post_exec;
    for (const auto& word : terms.queue->jobs.terminate_when) {
      if (word == "WINDOW") rules.terminate_for |= wire::SUSPEND_WINDOW;
      if (word == "LOAD") rules.terminate_for |= wire::SUSPEND_LOAD;
      if (word == "PREEMPT") rules.terminate_for |= wire::SUSPEND_PREEMPT;
      if (word == "USER") rules.terminate_for |= wire::SUSPEND_USER | wire::SUSPEND_ADMIN;
    }
  }
  return rules;
}

conf::PreemptionLimits preemption_limits(const ConfigView& config, const JobTerms& terms) {
  conf::PreemptionLimits limits = config.lsb->params.preemption_limits;
  if (terms.queue) limits = first_of(terms.queue->jobs.preemption_limits, limits);
  return terms.application ? first_of(terms.application->jobs.preemption_limits, limits) : limits;
}

wire::Limits effective_limits(const JobTerms& terms, const wire::Limits& asked) {
  wire::Limits limits = asked;
  for (const LimitRow& row : kLimits) {
    auto value = row.asked(asked);
    const auto cap = [&value](const std::optional<std::int64_t>& most) {
      if (most && (!value || *value > *most)) value = most;
    };
    if (terms.application) {
      if (!value) value = standard_of(row, *terms.application);
      cap(most_of(row, *terms.application));
    }
    if (terms.queue) {
      if (!value) value = row.standard(terms.queue->jobs);
      cap(row.most(terms.queue->jobs));
    }
    if (value) row.set(limits, *value);
  }
  if (limits.has_run_s() && !asked.has_run_s())
    limits.set_run_spec(spec_of(terms, &conf::JobDefaults::run_limit, limits.run_s()));
  if (limits.has_cpu_s() && !asked.has_cpu_s())
    limits.set_cpu_spec(spec_of(terms, &conf::JobDefaults::cpu_limit, limits.cpu_s()));
  return limits;
}

std::string limit_above(const conf::QueueRow& queue, const wire::Limits& asked) {
  for (const LimitRow& row : kLimits) {
    const auto most = row.most(queue.jobs);
    const auto value = row.asked(asked);
    if (most && value && *value > *most) return std::string(row.keyword);
  }
  return {};
}

std::string limit_above(const conf::ApplicationProfile& profile, const wire::Limits& asked) {
  for (const LimitRow& row : kLimits) {
    const auto most = most_of(row, profile);
    const auto value = row.asked(asked);
    if (most && value && *value > *most) return std::string(row.keyword);
  }
  return {};
}

SlotLimits slot_limits(const conf::JobDefaults& defaults) {
  const auto& limits = defaults.task_limit;
  switch (limits.size()) {
    case 0:
      return {};
    case 1:
      return {1, 1, limits[0]};
    case 2:
      return {limits[0], limits[0], limits[1]};
    default:
      return {limits[0], limits[1], limits[2]};
  }
}

SlotLimits slot_limits(const JobTerms& terms) {
  SlotLimits both = terms.queue ? slot_limits(terms.queue->jobs) : SlotLimits{};
  if (!terms.application || terms.application->jobs.task_limit.empty()) return both;
  const SlotLimits own = slot_limits(terms.application->jobs);
  both.least = std::max(both.least, own.least);
  both.most = both.most == 0 ? own.most : std::min(both.most, own.most);
  both.standard = std::min(std::max(own.standard, both.least), both.most);
  return both;
}

JobPrograms programs_of(const JobTerms& terms, const wire::Submission& asked) {
  JobPrograms programs;
  if (terms.queue) {
    programs.job_starter = terms.queue->jobs.job_starter;
    programs.nice = terms.queue->jobs.nice;
    programs.controls = terms.queue->jobs.job_controls;
  }
  if (const conf::ApplicationProfile* own = terms.application) {
    lay_over(own->jobs.job_starter, programs.job_starter);
    lay_over(own->jobs.job_controls.suspend, programs.controls.suspend);
    lay_over(own->jobs.job_controls.resume, programs.controls.resume);
    lay_over(own->jobs.job_controls.terminate, programs.controls.terminate);
    programs.nice = own->nice.value_or(programs.nice);
    programs.pre_exec = own->jobs.pre_exec;
    programs.post_exec = own->jobs.post_exec;
  }
  lay_over(asked.pre_exec(), programs.pre_exec);
  lay_over(asked.post_exec(), programs.post_exec);
  return programs;
}

}  // namespace rollcall::sched::jobs
