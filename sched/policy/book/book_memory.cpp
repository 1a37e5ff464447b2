#include "sched/policy/book/book_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::book {
namespace {

constexpr std::size_t kMostResreqs = 20'000;
constexpr std::size_t kMostResreqBytes = std::size_t{32} << 20;

ForeignAttempt foreign_attempt(const wire::JobRecord& record) {
  const auto& from = record.from();
  return {from.cluster(), {key_of(from.key()), from.attempt()}, from.made()};
}

// A job that another cluster has not begun pends, for as long as that takes.
wire::JobStatus counted_status(const wire::JobRecord& record) {
  return record.has_forwarded() ? shown_status(record) : record.status();
}

// Jobs of other clusters that pend: they count for IMPT_JOBBKLG and IMPT_SLOTBKLG.
void count_imported(JobsOf& queue, const wire::JobRecord& record, std::uint32_t slots, int sign) {
  if (!record.has_from() || !pending(record.status())) return;
  queue.imported.jobs += static_cast<std::uint64_t>(sign);
  queue.imported.slots += static_cast<std::uint64_t>(sign * static_cast<std::int64_t>(slots));
}

bool is_unacknowledged(const wire::JobRecord& record) {
  return record.has_from() && finished(record.status()) && !record.from().acknowledged() &&
         !record.from().written_off();
}
void count_unacknowledged(Memory& memory, const wire::JobRecord& record, int sign) {
  if (!is_unacknowledged(record)) return;
  const auto count = memory.unacknowledged.try_emplace(record.from().cluster()).first;
  count->second += static_cast<std::size_t>(sign);
  if (count->second == 0) memory.unacknowledged.erase(count);
}

}  // namespace

std::uint32_t slots_of(const Job& job) {
  if (!placed(job.status())) return jobs::min_slots(*job.asked);
  std::uint32_t slots = 0;
  for (const auto& host : job.record.hosts()) slots += host.slots();
  return slots;
}

bool waits(const wire::JobRecord& record) { return pending(record.status()) && record.attempt() == 0; }

wire::BatchReply::Outcome outcome(std::string text) {
  wire::BatchReply::Outcome result;
  result.set_text(std::move(text));
  return result;
}
wire::BatchReply::Outcome failure(std::string text, jobs::Refusal::Why why) {
  auto result = outcome(std::move(text));
  result.set_failed(true);
  result.set_why(why);
  return result;
}

void record_event(Effects& effects, JobKey key, WallTime now, wire::JobEvent event) {
  event.set_at_us(now.us);
  set_key(*event.mutable_key(), key);
  effects.push_back(effect::RecordEvent{std::move(event)});
}

// ---------------------------------------------------------------- look-ups

const jobs::JobTally* Memory::tally(std::int32_t id) const {
  const auto found = ids.find(id);
  return found == ids.end() ? nullptr : &found->second.tally;
}
const Job* Memory::find(JobKey key) const {
  const auto found = jobs.find(key);
  return found == jobs.end() ? nullptr : &unpacked(found->second);
}
BookEntry* Memory::entry(JobKey key) {
  const auto found = jobs.find(key);
  if (found == jobs.end()) return nullptr;
  unpacked(found->second);
  found->second.changed = true;
  return &found->second;
}
BookEntry& Memory::at(JobKey key) {
  BookEntry& entry = jobs.at(key);
  unpacked(entry);
  entry.changed = true;
  return entry;
}

// ---------------------------------------------------------------- submissions

SubmissionEntry& Memory::add_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked,
                                        std::shared_ptr<const jobs::Dependency> dependency) {
  SubmissionEntry& submission = submissions.try_emplace(number, kept[number]).first->second;
  submission.kept.asked = std::move(asked);
  submission.kept.packed = {};
  unpacked_submissions.push_back(number);
  submission.kept.dependency = std::move(dependency);
  if (submission.kept.dependency) submission.kept.dependency_state = jobs::DependencyState::not_yet;
  use_payload(*submission.kept.asked);
  next_submission = std::max(next_submission, number + 1);
  return submission;
}

void Memory::drop_submission_if_unused(std::uint64_t number) {
  const auto found = submissions.find(number);
  if (found == submissions.end() || found->second.kept.jobs != 0) return;
  leave_payload(*asked(number));
  submissions.erase(found);
  kept.erase(number);
}

void Memory::use_payload(const wire::Submission& asked) {
  for (const std::uint64_t row : wire::payload_rows(asked)) ++payloads[row];
  users[asked.user()].stored_bytes += wire::whole_bytes(asked);
}

void Memory::leave_payload(const wire::Submission& asked) {
  users[asked.user()].stored_bytes -= wire::whole_bytes(asked);
  for (const std::uint64_t row : wire::payload_rows(asked)) {
    const auto used = payloads.find(row);
    if (used == payloads.end() || --used->second > 0) continue;
    payloads.erase(used);
    dropped_payloads.push_back(row);
  }
}

void Memory::drop_payload(BookEntry& entry, Effects& effects) {
  const std::uint64_t old = entry.job->record.submission(), number = next_submission++;
  auto without = std::make_shared<wire::Submission>(*entry.job->asked);
  wire::forget_payload_rows(*without);
  counters_changed = true;
  add_submission(number, std::move(without), nullptr).id = entry.job->key().id;
  {
    const Change change(*this, entry);
    entry.job->record.set_submission(number);
    entry.job->asked = asked(number);
  }
  --submissions.at(old).kept.jobs;
  ++submissions.at(number).kept.jobs;
  drop_submission_if_unused(old);
  effects.push_back(effect::SaveSubmission{number});
  effects.push_back(effect::SaveJob{entry.job->key()});
}

// Most jobs of a queue have equal rules, so rules are kept by what they depend on, not by job.
const jobs::JobRules& Memory::rules_of(const BookEntry& entry) {
  if (rules.size() > 20'000) rules.clear();
  const wire::Submission& asked = *entry.job->asked;
  std::string key = entry.job->record.queue();
  key += '\0';
  key += asked.requeue_exits();
  key += '\0';
  key += asked.has_rerunnable() ? asked.rerunnable() ? 'y' : 'n' : '-';
  key += jobs::min_slots(asked) <= 1 ? '1' : 'm';
  key += asked.application();
  const auto [found, fresh] = rules.try_emplace(std::move(key));
  if (fresh)
    found->second = jobs::job_rules(config, jobs::terms_of(config, entry.job->record.queue(), asked), asked);
  return found->second;
}

void Memory::forget_resreqs() {
  resreqs.clear();
  resreq_bytes = 0;
}

const jobs::CheckedResreq& Memory::resreq_of(const conf::QueueRow* queue, const std::string& queue_name,
                                             const wire::Submission& asked) {
  std::string key = queue_name;
  key += '\0';
  key += asked.from_type();
  key += '\0';
  key += asked.resreq();
  key += '\0';
  key += asked.gpu();
  key += '\0';
  key += asked.application();
  if (const auto known = resreqs.find(key); known != resreqs.end()) return known->second;
  auto made =
      sched::jobs::combined_resreq(config, {queue, config.lsb->application(asked.application())}, asked);
  // Users can write any number of different requirements: bound what is kept.
  const std::size_t bytes = key.size() + made.text.size() + made.rusage.size();
  if (resreq_bytes + bytes > kMostResreqBytes || resreqs.size() >= kMostResreqs) forget_resreqs();
  resreq_bytes += bytes;
  return resreqs.emplace(std::move(key), std::move(made)).first->second;
}

void Memory::complete(Placement& placement) {
  const auto held = [this](const HostId& host) {
    std::set<std::uint32_t> devices;
    if (const JobsOf* there = hosts.find_jobs(host.text()))
      for (const JobKey key : there->jobs)
        if (const BookEntry* job = entry(key))
          for (const auto& on : devices_of(job->job->record))
            if (on.host() == host.text()) devices.insert(on.devices().begin(), on.devices().end());
    return devices;
  };
  if (!gpu_resource.empty()) choose_devices(placement, gpu_resource, held);
  const auto factor = cpu_factors.find(placement.hosts.at(0).host);
  if (factor != cpu_factors.end()) placement.cpu_factor = factor->second;
}

// ---------------------------------------------------------------- jobs

BookEntry& Memory::add_job(wire::JobRecord record) {
  const JobKey key = key_of(record.key());
  SubmissionEntry& submission = submissions.at(record.submission());
  const auto& whole = this->asked(submission.kept, record.submission());
  const wire::Submission& asked = *whole;
  BookEntry& entry = jobs[key];
  entry.job = std::make_unique<Job>();
  unpacked_jobs.push_back(key);
  entry.job->asked = whole;
  entry.job->record = std::move(record);
  const auto user = users.try_emplace(asked.user()).first;
  entry.user = &user->second;
  entry.queue = &queues[entry.job->record.queue()];
  ++submission.kept.jobs;
  count_application(asked, 1);
  submission.id = key.id;

  IdEntry& id = ids[key.id];
  if (id.indices.empty()) {
    id.array = key.index != 0;
    id.user = &user->first;
    id.name = name_id(key.id, asked.job_name());
  }
  if (id.indices.empty() || id.indices.back() < key.index)
    id.indices.push_back(key.index);
  else
    id.indices.insert(std::lower_bound(id.indices.begin(), id.indices.end(), key.index), key.index);
  if (finished(entry.job->status())) id.last_end_us = std::max(id.last_end_us, entry.job->record.end_us());

  entry.user->jobs.insert(entry.user->jobs.end(), key);
  entry.queue->jobs.insert(entry.queue->jobs.end(), key);
  next_order = std::max(next_order, entry.job->record.order() + 1);
  if (entry.job->record.has_from()) add_foreign(entry.job->record);
  enter(entry);
  return entry;
}

void Memory::remove_job(JobKey key) {
  BookEntry& entry = at(key);
  leave(entry);
  set_deadline(entry.begin_due, 0, Timer::begin, key);
  set_deadline(entry.terminate_due, 0, Timer::terminate, key);
  set_deadline(entry.avoid_due, 0, Timer::avoid, key);
  set_deadline(entry.start_due, 0, Timer::start, key);
  set_deadline(entry.pause_due, 0, Timer::pause, key);
  set_deadline(entry.recall_due, 0, Timer::recall, key);
  entry.user->jobs.erase(key);
  entry.queue->jobs.erase(key);
  IdEntry& id = ids.at(key.id);
  id.indices.erase(std::lower_bound(id.indices.begin(), id.indices.end(), key.index));
  if (id.indices.empty()) {
    set_deadline(id.clean_due, 0, Timer::clean, {key.id, 0});
    unname_id(key.id, *id.name);
    ids.erase(key.id);
  }
  const std::uint64_t number = entry.job->record.submission();
  if (entry.job->record.has_from()) remove_foreign(entry.job->record);
  SubmissionEntry& submission = submissions.at(number);
  --submission.kept.jobs;
  count_application(*entry.job->asked, -1);
  register_dependents(number, submission);
  drop_submission_if_unused(number);
  jobs.erase(key);
}

void Memory::add_foreign(const wire::JobRecord& record) {
  const auto [at, added] = foreign.insert_or_assign(foreign_attempt(record), key_of(record.key()));
  if (added) ++foreign_of[at->first.cluster];
}

void Memory::remove_foreign(const wire::JobRecord& record) {
  if (foreign.erase(foreign_attempt(record)) == 0) return;
  const auto of = foreign_of.find(record.from().cluster());
  if (--of->second == 0) foreign_of.erase(of);
}

void Memory::count_application(const wire::Submission& asked, int sign) {
  if (asked.application().empty()) return;
  const auto count = of_application.try_emplace(asked.application()).first;
  count->second.kept += static_cast<std::uint32_t>(sign);
  if (count->second.kept == 0) of_application.erase(count);
}

const std::string* Memory::name_id(std::int32_t id, const std::string& name) {
  static const std::string kNoName;
  if (name.empty()) return &kNoName;
  const auto same = by_name.try_emplace(name).first;
  same->second.insert(id);
  return &same->first;
}
void Memory::unname_id(std::int32_t id, const std::string& name) {
  const auto same = by_name.find(name);
  if (same == by_name.end()) return;
  same->second.erase(id);
  if (same->second.empty()) by_name.erase(same);
}

// ---------------------------------------------------------------- indices

namespace {

void count_status(StatusCounts& counts, wire::JobStatus status, std::uint32_t slots, bool more) {
  const auto add = [more](std::uint32_t& field, std::uint32_t n) { field = more ? field + n : field - n; };
  if (finished(status)) return;
  add(counts.jobs, slots);
  if (pending(status)) {
    add(counts.pend, slots);
    add(counts.pending_jobs, 1);
  } else if (status == wire::STATUS_SSUSP) {
    add(counts.ssusp, slots);
  } else if (status == wire::STATUS_USUSP) {
    add(counts.ususp, slots);
  } else {
    add(counts.run, slots);
  }
}

}  // namespace

void Memory::count_in_application(const Job& job, bool more) {
  const auto found = of_application.find(job.asked->application());
  if (found != of_application.end())
    count_status(found->second.counts, counted_status(job.record), slots_of(job), more);
}

// Counts the job as it is shown: while its start waits for its hosts it pends, with the slots that it asks for.
void count_slots(JobsOf& user, const Job& job, int sign) {
  const wire::JobStatus status = shown_status(job.record);
  const std::int64_t slots = pending(status) ? jobs::min_slots(*job.asked) : slots_of(job);
  const auto sum = user.sums.try_emplace({job.record.queue(), status}).first;
  sum->second.slots += static_cast<std::uint64_t>(sign * slots);
  if (waits_elsewhere(job.record)) sum->second.forwarded += static_cast<std::uint64_t>(sign * slots);
  sum->second.jobs += static_cast<std::uint64_t>(sign);
  if (sum->second.jobs == 0) user.sums.erase(sum);
}

void Memory::leave(BookEntry& entry) {
  const wire::JobRecord& record = entry.job->record;
  const JobKey key = entry.job->key();
  const wire::JobStatus status = record.status();
  const wire::JobStatus counted = counted_status(record);
  const std::uint32_t slots = slots_of(*entry.job);
  by_status[status].erase(key);
  count_status(entry.user->counts, counted, slots, false);
  count_slots(*entry.user, *entry.job, -1);
  count_status(entry.queue->counts, counted, slots, false);
  count_in_application(*entry.job, false);
  if (pending(status)) entry.queue->pending.erase({record.order(), key});
  count_imported(*entry.queue, record, slots, -1);
  count_unacknowledged(*this, record, -1);
  if (placed(status))
    for (const auto& host : record.hosts()) {
      JobsOf& there = hosts.jobs(host.name());
      there.jobs.erase(key);
      count_status(there.counts, status, host.slots(), false);
    }
  jobs::count(ids.at(key.id).tally, record, -1);
  if (waits(record)) --submissions.at(record.submission()).waiting;
}

void Memory::enter(BookEntry& entry) {
  const wire::JobRecord& record = entry.job->record;
  const JobKey key = entry.job->key();
  const wire::JobStatus status = record.status();
  const wire::JobStatus counted = counted_status(record);
  const std::uint32_t slots = slots_of(*entry.job);
  entry.submission = record.submission();
  entry.shown = shown_status(record);
  entry.acknowledged = record.from().acknowledged();
  entry.written_off = record.from().written_off();
  auto& same = by_status[status];
  same.insert(same.end(), key);
  count_status(entry.user->counts, counted, slots, true);
  count_slots(*entry.user, *entry.job, 1);
  count_status(entry.queue->counts, counted, slots, true);
  count_in_application(*entry.job, true);
  if (pending(status)) entry.queue->pending.insert(entry.queue->pending.end(), {record.order(), key});
  count_imported(*entry.queue, record, slots, 1);
  count_unacknowledged(*this, record, 1);
  if (placed(status))
    for (const auto& host : record.hosts()) {
      JobsOf& there = hosts.jobs(host.name());
      there.jobs.insert(key);
      count_status(there.counts, status, host.slots(), true);
    }
  jobs::count(ids.at(key.id).tally, record, 1);
  if (waits(record)) ++submissions.at(record.submission()).waiting;
}

double Memory::head_of(const std::string& queue) const {
  const auto found = queues.find(queue);
  if (found == queues.end() || found->second.pending.empty()) return next_order;
  return std::min(found->second.pending.begin()->first, next_order) - 1;
}

void Memory::counted(Effects& effects) {
  if (counters_changed) effects.push_back(effect::SaveCounters{});
  counters_changed = false;
  for (const std::uint64_t row : std::exchange(dropped_payloads, {}))
    effects.push_back(effect::DropPayload{row});
}

// ---------------------------------------------------------------- the stepper's surroundings

void Memory::step(BookEntry& entry, const JobHappening& event, WallTime now, Effects& effects) {
  const std::size_t first = effects.size();
  const jobs::JobRules& life = rules_of(entry);
  wire::JobRecord& record = entry.job->record;
  const bool was_placed = placed(record.status()) || finished(record.status());
  const bool was_elsewhere = is_elsewhere(record);
  const auto* kill = std::get_if<event::KillAsked>(&event);
  const bool asked_back = record.requeue_asked() || (kill != nullptr && kill->requeue) ||
                          std::holds_alternative<event::RestartAsked>(event);
  const JobKey key = entry.job->key();
  const std::uint64_t number = record.submission();
  {
    const Change change(*this, entry);
    sched::jobs::step(*entry.job, life, event, now, effects);
    // A job of brequeue goes behind the others; a job that requeues by itself (rerun, exit code) before them.
    if (was_placed && pending(record.status())) {
      if (asked_back)
        record.set_order(next_order++);
      else if (!was_elsewhere)  // one that another cluster gives back has its old place
        record.set_order(head_of(record.queue()));
      entry.stream.reset();
      entry.usage.reset();
    }
  }
  if (effects.size() == first) return;
  for (std::size_t i = first; i < effects.size(); ++i)
    if (auto* recorded = std::get_if<effect::RecordEvent>(&effects[i]);
        recorded && recorded->event.has_finish())
      *recorded->event.mutable_finish()->mutable_asked() = *entry.job->asked;
  IdEntry& id = ids.at(key.id);
  if (finished(record.status())) {
    id.last_end_us = std::max(id.last_end_us, record.end_us());
    entry.stream.reset();
    entry.usage.reset();
  }
  if (register_dependents(number, submissions.at(number))) evaluate_all(number, &effects);
  time_job(entry, now);
  time_id(key.id);
  look_again(key.id, key, effects);
  if (!held_ends.empty()) look_at_held_end(entry, now, effects);
}

// ---------------------------------------------------------------- dependencies

jobs::DependencyState Memory::state_of(const BookEntry& entry) const {
  const SubmissionEntry& submission = submissions.at(entry.submission);
  if (!submission.kept.dependency) return jobs::DependencyState::none;
  // A job that ran once keeps its dependency satisfied.
  if (!waits(unpacked(entry).record)) return jobs::DependencyState::satisfied;
  return submission.kept.dependency->per_element() ? entry.dependency : submission.kept.dependency_state;
}

// A submission is registered while some of its jobs wait. A job that ran once waits no more, so that chains of jobs do not keep one
// another in memory.
bool Memory::register_dependents(std::uint64_t number, SubmissionEntry& submission) {
  if (!submission.kept.dependency) return false;
  const bool wanted = submission.waiting > 0;
  if (wanted == submission.registered) return false;
  submission.registered = wanted;
  const jobs::Dependency& dependency = *submission.kept.dependency;
  std::set<std::int32_t> named;
  for (const jobs::JobCondition& condition : dependency.conditions()) named.insert(condition.id);
  for (const std::int32_t named_id : named) {
    const auto id = ids.find(named_id);
    if (id == ids.end()) continue;
    auto& dependents = id->second.dependents;
    if (!dependents) dependents = std::make_unique<jobs::DependencyWatch>();
    if (wanted)
      dependents->add(number, dependency, named_id, id->second.tally);
    else
      dependents->remove(number, dependency, named_id);
    if (dependents->empty()) dependents.reset();
    time_id(named_id);
  }
  return wanted;
}

void Memory::evaluate_all(std::uint64_t number, Effects* effects) {
  SubmissionEntry& submission = submissions.at(number);
  if (!submission.kept.dependency) return;
  const jobs::Dependency& dependency = *submission.kept.dependency;
  if (!dependency.per_element()) {
    ++evaluations;
    const jobs::DependencyState state = jobs::evaluate(dependency, 0, *this);
    if (state == submission.kept.dependency_state) return;
    submission.kept.dependency_state = state;
    dependency_changes.submissions.insert(number);
    if (effects) effects->push_back(effect::ScheduleSoon{});
    return;
  }
  const auto id = ids.find(submission.id);
  if (id == ids.end()) return;
  for (const std::int32_t index : id->second.indices)
    evaluate_element(number, at({submission.id, index}), effects);
}

// For a dependency that differs from element to element.
void Memory::evaluate_element(std::uint64_t number, BookEntry& element, Effects* effects) {
  if (element.submission != number) return;
  ++evaluations;
  const jobs::Dependency& dependency = *submissions.at(number).kept.dependency;
  const jobs::DependencyState state = jobs::evaluate(dependency, element.job->key().index, *this);
  if (state == element.dependency) return;
  element.dependency = state;
  dependency_changes.elements.insert(element.job->key());
  if (effects) effects->push_back(effect::ScheduleSoon{});
}

void Memory::look_again(std::int32_t id, JobKey changed, Effects& effects) {
  IdEntry& changed_id = ids.at(id);
  if (!changed_id.dependents) return;
  const auto concerned = changed_id.dependents->changed(changed.index, changed_id.tally);
  for (const std::uint64_t number : concerned.whole) evaluate_all(number, &effects);
  if (concerned.same == nullptr) return;
  for (const std::uint64_t number : *concerned.same) {
    if (concerned.whole.count(number) != 0) continue;
    if (BookEntry* element = entry({submissions.at(number).id, changed.index}))
      evaluate_element(number, *element, &effects);
  }
}

}  // namespace rollcall::sched::book
