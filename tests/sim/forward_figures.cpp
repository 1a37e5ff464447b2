#include "tests/sim/forward_figures.hpp"

#include <algorithm>

#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/cycle/queue_figures.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched {
namespace {

using Outcome = forward::ForwardedCounts::Outcome;

int slots_of(const Job& job) { return static_cast<int>(std::max(1U, job.asked->min_slots())); }

std::string differs(const std::string& what, long long found, long long expected) {
  if (found == expected) return "";
  return what + " is " + std::to_string(found) + ", expected " + std::to_string(expected);
}

}  // namespace

// ---------------------------------------------------------------- of the submission cluster

void ForwardFigures::connected(const std::string& cluster, bool so) {
  if (so) ++connections_[cluster];
  queues_.connected(cluster, so);
}

std::uint64_t ForwardFigures::forwarded(const Attempt& attempt, const conf::RemoteQueue& queue, int slots) {
  const std::uint64_t number = queues_.forwarded(queue, slots);
  forwards_[attempt] = {queue, number};
  return number;
}

void ForwardFigures::left(const Attempt& attempt) {
  const auto known = forwards_.find(attempt);
  if (known == forwards_.end()) return;
  queues_.gone(known->second.queue, known->second.number);
  forwards_.erase(known);
}

void ForwardFigures::forget_ended(const book::JobTable& jobs) {
  std::vector<Attempt> ended;
  for (const auto& [attempt, forward] : forwards_) {
    const Job* job = jobs.find(attempt.job);
    if (!job || !is_elsewhere(job->record) || job->record.attempt() != attempt.number)
      ended.push_back(attempt);
  }
  for (const Attempt& attempt : ended) left(attempt);
}

void ForwardFigures::heard(const std::string& cluster, const wire::QueueFigures& figures) {
  const forward::UpdateOrder order{connections_[cluster], ++updates_[cluster]};
  for (const auto& told : figures.queues()) {
    forward::QueueNews news;
    news.name = {told.name(), cluster};
    news.update = {order, told.accounts_for(), {}};
    news.update.figures.slots = {told.total(), told.available(), told.running(), told.pending(),
                                 told.preemptable()};
    if (told.has_job_room()) news.update.figures.job_room = told.job_room();
    news.priority = told.priority();
    if (told.has_lowest_preemptable()) news.lowest_preemptable = told.lowest_preemptable();
    // Numbers that this mbatchd has not given yet are of the one before it, whose jobs are all taken in.
    if (queues_.updated(news, {}) == Outcome::taken) newest_[{cluster, told.name()}] = news.update;
  }
}

std::vector<conf::RemoteQueue> ForwardFigures::choice(const std::string& queue,
                                                      const std::vector<std::string>& clusters,
                                                      int slots) const {
  const auto queues = queues_.of({{queue, "allclusters"}}, clusters, {});
  forward::ForwardJob asks;
  asks.min_slots = asks.max_slots = slots;
  forward::Settings settings;
  settings.choice.kind = conf::ForwardChoice::Kind::count_preemptable;
  std::vector<conf::RemoteQueue> offers;
  for (const std::size_t offer : forward::choose(asks, queues, settings).offers)
    offers.push_back(queues[offer].name);
  return offers;
}

std::string ForwardFigures::broken(const book::Book& book) const {
  std::map<Name, std::pair<int, int>> on_top;  // jobs, slots
  for (const auto status :
       {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
    for (const JobKey key : book.jobs().with_status(status)) {
      const Job& job = *book.jobs().find(key);
      const auto& to = job.record.forwarded();
      if (!is_elsewhere(job.record) || to.number() < first_) continue;
      const auto newest = newest_.find({to.cluster(), to.queue()});
      if (newest == newest_.end() || to.number() <= newest->second.accounts_for) continue;
      auto& [jobs, slots] = on_top[newest->first];
      ++jobs;
      slots += slots_of(job);
    }
  for (const auto& [name, newest] : newest_) {
    const auto figures = queues_.figures({name.second, name.first});
    const std::string queue = "the counter of " + name.second + "@" + name.first;
    if (!figures) return queue + " is not known, though it was told";
    const auto [jobs, slots] = on_top.contains(name) ? on_top.at(name) : std::pair{0, 0};
    auto wrong =
        differs(queue + " for pending slots", figures->slots.pending, newest.figures.slots.pending + slots);
    if (wrong.empty() && newest.figures.job_room)
      wrong = differs(queue + " for room", *figures->job_room, std::max(0, *newest.figures.job_room - jobs));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// ---------------------------------------------------------------- of the executing cluster

void ForwardFigures::took_in(const std::string& cluster, const std::string& queue, std::uint64_t number) {
  auto& last = numbers_[cluster][queue];
  last = std::max(last, number);
}

wire::QueueFigures ForwardFigures::told(const std::string& cluster, const cycle::Snapshot& snapshot,
                                        const book::Book& book, WallTime now) const {
  const auto& rules = snapshot.rules();
  const auto figures = cycle::queue_figures(snapshot, now, std::vector<bool>(rules.queues.size(), true));
  wire::QueueFigures all;
  for (std::size_t i = 0; i < rules.queues.size(); ++i) {
    const auto* row = rules.queues[i].row;
    if (!row || !book::receives(*row, cluster)) continue;
    auto& told = *all.add_queues();
    told.set_name(row->name);
    told.set_priority(rules.queues[i].priority);
    told.set_total(static_cast<int>(figures[i].total));
    told.set_available(static_cast<int>(figures[i].available));
    told.set_running(static_cast<int>(figures[i].running));
    told.set_pending(static_cast<int>(figures[i].pending));
    told.set_preemptable(static_cast<int>(figures[i].preemptable));
    if (figures[i].lowest_preemptable) told.set_lowest_preemptable(*figures[i].lowest_preemptable);
    if (row->import_backlog)
      told.set_job_room(
          std::max(0, *row->import_backlog - static_cast<int>(book.forwards().waiting_in(row->name).jobs)));
    if (const auto of = numbers_.find(cluster); of != numbers_.end())
      if (const auto number = of->second.find(row->name); number != of->second.end())
        told.set_accounts_for(number->second);
  }
  return all;
}

std::string ForwardFigures::broken(const wire::QueueFigures& figures, const std::string& cluster,
                                   const book::Book& book) {
  std::map<std::string, long long> running, pending;
  std::map<std::string, std::uint64_t> newest;
  const auto each = [&](wire::JobStatus status, const auto& look) {
    for (const JobKey key : book.jobs().with_status(status)) look(*book.jobs().find(key));
  };
  const auto note_number = [&](const Job& job) {
    if (job.record.from().cluster() != cluster) return;
    auto& number = newest[job.record.queue()];
    number = std::max(number, job.record.from().number());
  };
  for (const auto status : {wire::STATUS_RUN, wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
    each(status, [&](const Job& job) {
      if (is_elsewhere(job.record) || job.record.suspend_reasons() != 0) return;
      for (const auto& on : job.record.hosts()) running[job.record.queue()] += on.slots();
      note_number(job);
    });
  each(wire::STATUS_PEND, [&](const Job& job) {
    pending[job.record.queue()] += slots_of(job);
    note_number(job);
  });
  for (const auto& told : figures.queues()) {
    const std::string queue = "queue " + told.name() + ": the figure of ";
    for (auto wrong : {differs(queue + "running slots", told.running(), running[told.name()]),
                       differs(queue + "pending slots", told.pending(), pending[told.name()])})
      if (!wrong.empty()) return wrong;
    if (told.available() < 0 || told.available() > told.total() || told.preemptable() < told.available())
      return queue + "available slots is not between 0 and those of all and preemptable ones";
    if (told.accounts_for() < newest[told.name()])
      return queue + "jobs has offer " + std::to_string(newest[told.name()]) + " of " + cluster +
             ", and names " + std::to_string(told.accounts_for());
  }
  return "";
}

}  // namespace rollcall::sched
