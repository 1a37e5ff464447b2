// ForwardWorld: what must hold after every turn, and when all is over.
#include <algorithm>
#include <tuple>

#include "tests/sim/forward_world.hpp"

namespace rollcall::sched {
namespace {

std::string text_of(std::size_t cluster, JobKey key) {
  return "job " + text(key) + " of " + name_of(cluster);
}

}  // namespace

void ForwardWorld::check() {
  bool changed = false;
  for (auto& cluster : clusters_)
    if (std::exchange(cluster->changed_since_check, false)) {
      look_at(*cluster);
      changed = true;
    }
  if (changed) check_sums();
}

void ForwardWorld::look_at(ForwardCluster& cluster) {
  const std::size_t at = cluster.number;
  if (!cluster.world.trouble().empty()) trouble(name_of(at) + ": " + cluster.world.trouble());
  if (const auto broken = cluster.world.book().broken_invariant(); !broken.empty())
    trouble(name_of(at) + ": " + broken);
  Look now;
  now.deaths = cluster.world.deaths();
  std::set<std::tuple<std::size_t, Attempt, std::uint64_t>>
      attempts;                                   // a store that was put back gives numbers again
  std::map<std::string, std::uint64_t> imported;  // by queue
  for (const JobKey key : cluster.world.jobs()) {
    const auto& record = cluster.world.book().jobs().find(key)->record;
    if (cluster.world.finishes(key) > 1 && knobs_["people"] == 0)
      trouble(text_of(at, key) + " is in the accounts twice");
    HomeJob job{at, key};
    if (record.has_from()) {
      job = {number_of(record.from().cluster()), key_of(record.from().key())};
      if (!attempts.insert({job.first, {job.second, record.from().attempt()}, record.from().made()}).second)
        trouble(text_of(job.first, job.second) + ": " + name_of(at) + " has accepted one attempt twice");
      now.alive[job] += finished(record.status()) ? 0 : 1;
      imported[record.queue()] += pending(record.status()) ? 1 : 0;
    } else if (is_elsewhere(record)) {
      now.elsewhere[key] = {record.forwarded().cluster(), {key, record.attempt()}};
    }
    now.runs[job] += cluster.world.runs(key);
  }
  for (const std::string& queue : queues_)
    if (const auto waiting = cluster.world.book().forwards().waiting_in(queue).jobs;
        waiting != imported[queue])
      trouble(name_of(at) + " counts " + std::to_string(waiting) + " pending jobs of other clusters in " +
              queue + ", expected " + std::to_string(imported[queue]));
  if (const auto wrong = cluster.wrong(); !wrong.empty()) trouble(name_of(at) + ": " + wrong);
  for (const std::int32_t id : cluster.world.acknowledged())
    if (cluster.world.book().jobs().elements(id).empty()) trouble(text_of(at, {id, 0}) + " is lost");
  check_elsewhere(cluster, looks_[at], now);
  cluster.heard_since_check.clear();
  looks_[at] = std::move(now);
}

// Only the other cluster ends an attempt, so not while it is silent or refused. A restart takes back what was not on disk.
void ForwardWorld::check_elsewhere(const ForwardCluster& cluster, const Look& before, const Look& now) {
  if (before.deaths != now.deaths) return;
  for (const auto& [key, where] : before.elsewhere) {
    const auto found = now.elsewhere.find(key);
    if (found != now.elsewhere.end() && found->second == where) continue;
    if (!cluster.heard_since_check.contains(number_of(where.first)))
      trouble(text_of(cluster.number, key) + " left " + where.first + " without a word of it");
  }
}

// Of all clusters together: of the attempts of one job at most one lives, and it runs once.
void ForwardWorld::check_sums() {
  std::map<HomeJob, int> runs = runs_in_lost_stores_, alive;
  for (const Look& look : looks_) {
    for (const auto& [job, times] : look.runs) runs[job] += times;
    for (const auto& [job, times] : look.alive) alive[job] += times;
  }
  for (const auto& [job, times] : alive)
    if (times > 1 && !given_up_.contains(job)) trouble(text_of(job.first, job.second) + " lives twice");
  const bool again = knobs_["people"] != 0 || knobs_["host_restarts"] != 0 || knobs_["shepherds"] != 0;
  for (const auto& [job, times] : runs) {
    if (again) break;
    if (times > 1 && !given_up_.contains(job)) trouble(text_of(job.first, job.second) + " runs twice");
    if (times > 0 && begun_.contains(job))
      trouble(text_of(job.first, job.second) + " runs again, and had begun in a store that was lost");
  }
}

std::int32_t ForwardWorld::code_of(std::size_t cluster, JobKey key) const {
  const auto& forwarded = clusters_[cluster]->world.book().jobs().find(key)->record.forwarded();
  return BookWorld::code_of(forwarded.has_there() ? key_of(forwarded.there().key()) : key);
}

std::string ForwardWorld::unfinished() const {
  for (const auto& cluster : clusters_)
    for (const JobKey key : cluster->world.jobs()) {
      const auto& record = cluster->world.book().jobs().find(key)->record;
      const bool waits = record.has_from() && !record.from().acknowledged();
      if (finished(record.status()) && !waits) continue;
      std::string line = text_of(cluster->number, key) + " has status " + std::to_string(record.status());
      if (record.has_from())
        line += ", from " + text_of(number_of(record.from().cluster()), key_of(record.from().key())) +
                " attempt " + std::to_string(record.from().attempt());
      if (is_elsewhere(record))
        line += ", is in " + record.forwarded().cluster() + " as attempt " + std::to_string(record.attempt());
      return line;
    }
  return "";
}

// Of jobs that were preempted: none is so any more.
void ForwardWorld::check_went_on(const ForwardCluster& cluster) {
  for (const JobKey key : cluster.world.jobs()) {
    const auto& record = cluster.world.book().jobs().find(key)->record;
    if (record.suspend_reasons() != 0 || record.preempted_since_us() != 0)
      trouble(text_of(cluster.number, key) + " is over and still preempted");
  }
}

void ForwardWorld::check_end() {
  for (const auto& cluster : clusters_) check_went_on(*cluster);
  if (knobs_["people"] != 0 || knobs_["host_restarts"] != 0 || knobs_["shepherds"] != 0) return;
  for (const auto& cluster : clusters_)
    for (const std::int32_t id : cluster->world.acknowledged())
      for (const JobKey key : cluster->world.book().jobs().elements(id)) check_once(*cluster, key);
}

void ForwardWorld::check_once(const ForwardCluster& home, JobKey key) {
  const HomeJob job{home.number, key};
  if (given_up_.contains(job)) return;
  const auto lost = runs_in_lost_stores_.find(job);
  int runs = lost == runs_in_lost_stores_.end() ? 0 : lost->second;
  for (const Look& look : looks_)
    if (const auto found = look.runs.find(job); found != look.runs.end()) runs += found->second;
  const std::string name = text_of(home.number, key);
  if (runs != 1) trouble(name + " ran " + std::to_string(runs) + " times");
  if (home.world.finishes(key) != 1)
    trouble(name + " is " + std::to_string(home.world.finishes(key)) + " times in the accounts");
  const auto status = home.world.book().jobs().find(key)->record.exit_status();
  if (status != code_of(home.number, key))
    trouble(name + " ended with " + std::to_string(status) + ", expected " +
            std::to_string(code_of(home.number, key)));
}

}  // namespace rollcall::sched
