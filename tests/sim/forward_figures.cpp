#include "tests/sim/forward_figures.hpp"

#include <algorithm>

#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/cycle/queue_figures.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::sched {
namespace {

int slots_of(const Job& job) { return static_cast<int>(std::max(1U, job.asked->min_slots())); }

std::string differs(const std::string& what, long long found, long long expected) {
  if (found == expected) return "";
  return what + " is " + std::to_string(found) + ", expected " + std::to_string(expected);
}

}  // namespace

// ---------------------------------------------------------------- of the submission cluster

void ForwardFigures::heard(const std::string& cluster, const wire::QueueFigures& figures) {
  for (const auto& told : figures.queues())
    newest_[{cluster, told.name()}] = {told.accounts_for(), told.pending(),
                                       told.has_job_room() ? std::optional(told.job_room()) : std::nullopt};
}

void ForwardFigures::came_back(const Attempt& attempt, const book::Book& book) {
  const Job* job = book.jobs().find(attempt.job);
  if (!job || !is_elsewhere(job->record) || job->record.attempt() != attempt.number) return;
  const auto& to = job->record.forwarded();
  const auto newest = newest_.find({to.cluster(), to.queue()});
  if (newest == newest_.end() || to.number() > newest->second.accounts_for) return;
  newest->second.pending = std::max<long long>(0, newest->second.pending - slots_of(*job));
  if (newest->second.job_room) ++*newest->second.job_room;
}

std::vector<conf::RemoteQueue> ForwardFigures::choice(const forward::RemoteQueues& known,
                                                      const std::string& queue,
                                                      const std::vector<std::string>& clusters, int slots) {
  const auto queues = known.of({{queue, "allclusters"}}, clusters, {});
  forward::ForwardJob asks;
  asks.min_slots = asks.max_slots = slots;
  forward::Settings settings;
  settings.choice.kind = conf::ForwardChoice::Kind::count_preemptable;
  std::vector<conf::RemoteQueue> offers;
  for (const std::size_t offer : forward::choose(asks, queues, settings).offers)
    offers.push_back(queues[offer].name);
  return offers;
}

std::string ForwardFigures::broken(const peers::OutboundForwards& out, const book::Book& book) const {
  std::map<Name, std::pair<int, int>> on_top;  // jobs, slots
  for (const auto status :
       {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
    for (const JobKey key : book.jobs().with_status(status)) {
      const Job& job = *book.jobs().find(key);
      const auto& to = job.record.forwarded();
      if (!is_elsewhere(job.record)) continue;
      const auto newest = newest_.find({to.cluster(), to.queue()});
      if (newest == newest_.end() || to.number() <= newest->second.accounts_for) continue;
      auto& [jobs, slots] = on_top[newest->first];
      ++jobs;
      slots += slots_of(job);
    }
  for (const auto& [name, newest] : newest_) {
    if (!out.greeted(name.first)) continue;  // no job is offered there
    const auto figures = out.queues().figures({name.second, name.first});
    const std::string queue = "the counter of " + name.second + "@" + name.first;
    if (!figures) return queue + " is not known, though it was told";
    const auto [jobs, slots] = on_top.contains(name) ? on_top.at(name) : std::pair{0, 0};
    auto wrong = differs(queue + " for pending slots", figures->slots.pending, newest.pending + slots);
    if (wrong.empty() && newest.job_room)
      wrong = differs(queue + " for room", *figures->job_room, std::max(0, *newest.job_room - jobs));
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// ---------------------------------------------------------------- of the executing cluster

wire::QueueFigures ForwardFigures::told(const std::string& cluster, const peers::InboundForwards& in,
                                        const cycle::Snapshot& snapshot, const book::Book& book,
                                        WallTime now) {
  const auto& rules = snapshot.rules();
  const auto figures = cycle::queue_figures(snapshot, now, std::vector<bool>(rules.queues.size(), true));
  wire::QueueFigures all;
  for (std::size_t i = 0; i < rules.queues.size(); ++i) {
    const auto* row = rules.queues[i].row;
    if (!row || !book::receives(*row, cluster)) continue;
    auto& told = *all.add_queues();
    told.set_name(row->name);
    told.set_priority(rules.queues[i].priority);
    mbatchd::put(figures[i], told);
    mbatchd::put_room(*row, book.forwards().waiting_in(row->name), told);
    told.set_accounts_for(in.accounts_for(cluster, row->name));
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
