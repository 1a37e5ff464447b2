#include "sched/mbatchd/forward_wire.hpp"

#include <algorithm>

#include "common/conf/forward_settings.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/values/shown_slots.hpp"

namespace rollcall::mbatchd {

void put(const sched::cycle::QueueFigures& figures, wire::QueueFigures::OfQueue& told) {
  const auto fits = [](long long slots) {
    return static_cast<int>(std::min<long long>(slots, 1'000'000'000));
  };
  told.set_total(fits(figures.total));
  told.set_available(fits(figures.available));
  told.set_running(fits(figures.running));
  told.set_pending(fits(figures.pending));
  told.set_preemptable(fits(figures.preemptable));
  if (figures.lowest_preemptable) told.set_lowest_preemptable(*figures.lowest_preemptable);
  told.mutable_types()->Add(figures.types.begin(), figures.types.end());
  told.mutable_booleans()->Add(figures.booleans.begin(), figures.booleans.end());
  for (const auto& one : figures.values) {
    auto& values = *told.add_values();
    values.set_name(one.name);
    values.mutable_numbers()->Add(one.numbers.begin(), one.numbers.end());
    values.mutable_words()->Add(one.words.begin(), one.words.end());
    values.set_more(one.more);
  }
}

void put(const sched::forward::RemoteQueue& queue, wire::BatchReply::ClusterRow::Figures& figures) {
  const auto& slots = queue.figures->slots;
  const auto shown = [](int count) { return static_cast<int>(sched::shown_slots(count)); };
  figures.set_age_s(std::chrono::duration_cast<std::chrono::seconds>(queue.age).count());
  figures.set_priority(queue.priority);
  figures.set_total(slots.total);
  figures.set_available(shown(slots.available));
  figures.set_running(shown(slots.running));
  figures.set_pending(shown(slots.pending));
  figures.set_preemptable(shown(slots.preemptable));
  if (queue.figures->job_room) figures.set_job_room(shown(*queue.figures->job_room));
  if (queue.figures->slot_room) figures.set_slot_room(shown(*queue.figures->slot_room));
  if (queue.lowest_preemptable) figures.set_lowest_preemptable(*queue.lowest_preemptable);
  figures.mutable_types()->Add(queue.types.begin(), queue.types.end());
  figures.mutable_booleans()->Add(queue.booleans.begin(), queue.booleans.end());
}

void put_room(const conf::QueueRow& queue, const sched::book::SlotCount& waiting,
              wire::QueueFigures::OfQueue& told) {
  const auto left = [](int most, std::uint64_t taken) {
    return static_cast<int>(std::max<std::int64_t>(0, most - static_cast<std::int64_t>(taken)));
  };
  if (queue.import_backlog) told.set_job_room(left(*queue.import_backlog, waiting.jobs));
  if (queue.import_slot_backlog) told.set_slot_room(left(*queue.import_slot_backlog, waiting.slots));
}

sched::forward::Settings settings_of(const sched::ConfigView& files, const conf::QueueRow& queue) {
  sched::forward::Settings settings;
  const conf::ForwardSettings forward = conf::forward_settings(*files.cluster);
  settings.choice = files.lsb->params.forward_choice;
  settings.remote_resource = forward.remote_resource;
  settings.room_before_preemption = forward.room_first;
  settings.retry_after = std::nullopt;
  if (queue.max_reschedule_time)
    settings.retry_after = *queue.max_reschedule_time * files.lsb->params.mbd_sleep_time;
  return settings;
}

bool may_forward(const sched::ConfigView& files, const conf::QueueRow& queue, const wire::Submission& asked) {
  if (queue.forward_users.empty()) return true;
  sched::Identity who;
  who.user = asked.user();
  who.uid = asked.uid();
  return sched::jobs::names_user(files, queue.forward_users, who);
}

sched::peers::UserMap user_map_of(const sched::ConfigView& files) {
  return {files.lsb->users.mappings,
          [&files](const std::vector<std::string>& words, const std::string& user) {
            sched::Identity who;
            who.user = user;
            return sched::jobs::names_user(files, words, who);
          }};
}

sched::forward::Figures figures_of(const wire::RemoteSlots& slots) {
  sched::forward::Figures figures;
  figures.slots = {slots.total(), slots.available(), slots.running(), slots.pending(), slots.preemptable()};
  if (slots.has_job_room()) figures.job_room = slots.job_room();
  if (slots.has_slot_room()) figures.slot_room = slots.slot_room();
  return figures;
}

std::vector<std::pair<conf::RemoteQueue, sched::forward::Returns>> returns_of(const wire::JobRecord& record,
                                                                              WallTime now) {
  std::vector<std::pair<conf::RemoteQueue, sched::forward::Returns>> all;
  for (const auto& one : record.returns()) {
    sched::forward::Returns returns;
    returns.times = one.times();
    returns.ago = std::chrono::microseconds(std::max<std::int64_t>(0, now.us - one.at_us()));
    if (one.has_figures()) returns.then = figures_of(one.figures());
    all.emplace_back(conf::RemoteQueue{one.queue(), one.cluster()}, std::move(returns));
  }
  return all;
}

}  // namespace rollcall::mbatchd
