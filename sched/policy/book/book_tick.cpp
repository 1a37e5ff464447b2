// The Book's clock: sets deadlines, and does what is due.
#include <algorithm>
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {

void Memory::set_deadline(std::int64_t& slot, std::int64_t due, Timer timer, JobKey key) {
  if (slot == due) return;
  if (slot != 0) deadlines.erase({slot, timer, key, kNoHost});
  slot = due;
  if (slot != 0) deadlines.insert({slot, timer, key, kNoHost});
}

std::int64_t Memory::recall_due_us(const BookEntry& entry) {
  const wire::JobRecord& record = entry.job->record;
  if (!is_elsewhere(record) || !record.starting() || record.forwarded().recalled()) return 0;
  const auto& after_s = rules_of(entry).recall_after_s;
  return after_s ? record.forwarded().at_us() + *after_s * 1'000'000 : 0;
}

void Memory::time_job(BookEntry& entry, WallTime now) {
  const wire::JobRecord& record = entry.job->record;
  const wire::Submission& asked = *entry.job->asked;
  const JobKey key = entry.job->key();
  const bool begins = pending(record.status()) && asked.begin_us() > now.us;
  set_deadline(entry.begin_due, begins ? asked.begin_us() : 0, Timer::begin, key);
  const bool ends = asked.terminate_us() != 0 && !finished(record.status()) && !record.kill_asked();
  set_deadline(entry.terminate_due, ends ? asked.terminate_us() : 0, Timer::terminate, key);
  std::int64_t avoided = 0;
  for (const auto& host : record.avoided())
    if (avoided == 0 || host.until_us() < avoided) avoided = host.until_us();
  set_deadline(entry.avoid_due, avoided, Timer::avoid, key);
  const Launch& launch = entry.job->launch;
  const bool prepares = placed(record.status()) && !launch.go_given;
  set_deadline(entry.start_due, prepares ? launch.since_us + parameters.unknown_after_s * 1'000'000 : 0,
               Timer::start, key);
  set_deadline(entry.recall_due, recall_due_us(entry), Timer::recall, key);
  // If the clock was set back, the end of the pause may be too late: no pause lasts longer than the longest.
  const std::int64_t latest = now.us + parameters.longest_pause_s * 1'000'000;
  set_deadline(entry.pause_due, std::min(record.paused_until_us(), latest), Timer::pause, key);
}

namespace {

// The other cluster has stored the end of its job, or is written off.
bool is_told(const Job& job) { return job.record.from().acknowledged() || job.record.from().written_off(); }

}  // namespace

// An array is cleaned as a whole, some time after its last element ended. An id that other jobs wait for stays.
void Memory::time_id(std::int32_t id) {
  const auto found = ids.find(id);
  if (found == ids.end()) return;
  IdEntry& entry = found->second;
  bool over = entry.tally.finished() == entry.tally.elements && !entry.dependents;
  // A job of another cluster stays until that cluster has stored its end, or is written off; its script goes before.
  if (over && !foreign.empty())
    if (const Job* job = find({id, 0}); job && job->record.has_from())
      over = is_told(*job) || wire::names_payload(*job->asked);
  set_deadline(entry.clean_due, over ? entry.last_end_us + parameters.clean_period_s * 1'000'000 : 0,
               Timer::clean, {id, 0});
}

void Memory::time_host(HostNumber host) {
  HostLink& link = hosts.link(host);
  if (link.due != 0) deadlines.erase({link.due, Timer::host, {}, host});
  // The jobs of a silent cluster stay there: only its own answer ends them.
  const bool silent =
      !link.connected && !link.lost && link.silent_since_us != 0 && !hosts.id(host).is_cluster();
  link.due = silent ? link.silent_since_us + parameters.unknown_after_s * 1'000'000 : 0;
  if (link.due != 0) deadlines.insert({link.due, Timer::host, {}, host});
}

// Time during which mbatchd was suspended does not count as host silence. If the clock was set back, deadlines are cut to their
// usual length from now on.
void Memory::hear_clock(WallTime now) {
  constexpr std::int64_t kStep = 1'000'000;            // smaller steps are corrections of the clock
  constexpr std::int64_t kLongestPause = 120'000'000;  // mbatchd calls more often, even if nothing is due
  const std::int64_t passed = now.us - std::exchange(heard_us, now.us);
  if (passed == now.us) return;
  if (passed < -kStep) return clock_went_back(now);
  if (passed <= kLongestPause) return;
  hosts.each_link([&](HostNumber host, HostLink& link) {
    if (link.connected || link.lost || link.silent_since_us == 0) return;
    link.silent_since_us += passed;
    time_host(host);
  });
}

void Memory::clock_went_back(WallTime now) {
  hosts.each_link([&](HostNumber host, HostLink& link) {
    link.came_us = std::min(link.came_us, now.us);
    if (link.silent_since_us <= now.us) return;
    link.silent_since_us = now.us;
    time_host(host);
  });
  // Jobs without these deadlines have no time that would need a correction.
  for (auto& [key, known] : jobs) {
    if (known.start_due == 0 && known.avoid_due == 0 && known.pause_due == 0) continue;
    BookEntry& entry = at(key);
    if (known.pause_due != 0) time_job(entry, now);
    if (Launch& launch = entry.job->launch; launch.since_us > now.us) {
      launch.since_us = now.us;
      time_job(entry, now);
    }
    auto& avoided = *entry.job->record.mutable_avoided();
    if (avoided.empty()) continue;
    const std::int64_t latest = now.us + rules_of(entry).avoid_s * 1'000'000;
    for (auto& host : avoided) host.set_until_us(std::min(host.until_us(), latest));
    time_job(entry, now);
  }
}

namespace {

// The first host of the job that has not confirmed its order.
std::string silent_host(const Job& job) {
  for (const auto& host : job.record.hosts())
    if (std::find(job.launch.prepared.begin(), job.launch.prepared.end(), host.name()) ==
        job.launch.prepared.end())
      return host.name();
  return "";
}

event::StartNotTaken not_taken_in_time(const Job& job) {
  const HostId awaited(job.launch.awaits);
  if (awaited.empty()) {
    const std::string silent = silent_host(job);
    return {silent + " did not acknowledge the start in time", silent};
  }
  if (awaited.is_cluster())
    return {"cluster " + std::string(awaited.cluster()) +
                " did not tell in time where the job's hosts are reached",
            ""};
  return {"where " + awaited.text() + " is reached was not told in time", awaited.text()};
}

}  // namespace

void Memory::clean(std::int32_t id, WallTime now, Effects& effects) {
  if (const Job* job = find({id, 0}); job && job->record.has_from() && !is_told(*job)) {
    drop_payload(at({id, 0}), effects);
    return time_id(id);
  }
  const std::vector<std::int32_t> indices = ids.at(id).indices;
  // From the back: removing the last index is cheap.
  for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
    const JobKey key{id, *index};
    effect::RemoveJob removed{at(key).job->record};
    removed.record.set_cleaned_us(now.us);
    effect::RecordEvent recorded;
    recorded.event.set_at_us(now.us);
    set_key(*recorded.event.mutable_key(), key);
    recorded.event.mutable_clean();
    effects.push_back(std::move(removed));
    effects.push_back(std::move(recorded));
    remove_job(key);
  }
}

Effects Book::tick(WallTime now) {
  Memory& m = *memory_;
  using Timer = Memory::Timer;
  Effects effects;
  m.hear_clock(now);
  m.forget_old_tokens(now, effects);
  while (!m.deadlines.empty() && m.deadlines.begin()->due_us <= now.us) {
    const auto [due, timer, key, host] = *m.deadlines.begin();
    m.deadlines.erase(m.deadlines.begin());
    BookEntry* entry = m.entry(key);
    switch (timer) {
      case Timer::begin:
        entry->begin_due = 0;
        effects.push_back(effect::ScheduleSoon{});
        break;
      case Timer::terminate:
        entry->terminate_due = 0;
        m.step(*entry, event::TerminateTimeCame{}, now, effects);
        break;
      case Timer::avoid:
        entry->avoid_due = 0;
        m.step(*entry, event::AvoidanceOver{}, now, effects);
        break;
      case Timer::pause:
        entry->pause_due = 0;
        m.step(*entry, event::PauseOver{}, now, effects);
        break;
      case Timer::recall:
        entry->recall_due = 0;
        m.step(*entry, event::RecallDue{}, now, effects);
        break;
      case Timer::start: {
        entry->start_due = 0;
        m.step(*entry, not_taken_in_time(*entry->job), now, effects);
        break;
      }
      case Timer::clean:
        m.ids.at(key.id).clean_due = 0;
        m.clean(key.id, now, effects);
        break;
      case Timer::host: {
        const std::string& name = m.hosts.id(host).text();
        HostLink& link = m.hosts.link(host);
        link.due = 0;
        link.lost = true;
        const bool ours = m.hosts.id(host).ours();
        const bool all = ours && m.all_are_lost(host);
        m.suspects_itself = m.suspects_itself || all;
        const std::set<JobKey> there = m.hosts.jobs(host).jobs;
        for (const JobKey job : there) {
          BookEntry& on = m.at(job);
          m.step(on, event::StartNotTaken{name + " was not heard of", {}}, now, effects);
          if (placed(on.job->status()) && on.job->record.hosts(0).name() == name)
            m.step(on, event::HostLost{all || !ours}, now, effects);
        }
        break;
      }
    }
  }
  m.counted(effects);
  return effects;
}

std::optional<WallTime> Book::next_deadline() const {
  if (memory_->deadlines.empty()) return std::nullopt;
  return WallTime{memory_->deadlines.begin()->due_us};
}

}  // namespace rollcall::sched::book
