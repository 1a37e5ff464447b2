#include <algorithm>

#include "sched/policy/cycle/preemption_draft.hpp"
#include "sched/policy/cycle/victims.hpp"

namespace rollcall::sched::cycle {

QueueNumber Preemption::queue_of(const PlacedJob& job) const {
  return state_.snapshot().demands()[job.demand].compiled->queue;
}
int Preemption::priority(const PlacedJob& job) const {
  const QueueNumber queue = queue_of(job);
  return queue == kNoQueue ? 0 : state_.rules().queues[queue].priority;
}

bool Preemption::preemptable(const PlacedJob& job) {
  const LeftAlone why = left_alone(state_.snapshot(), job, state_.now());
  if (why == LeftAlone::no_preempt_interval &&
      (next_preemptable_.never() || job.preemptable_from < next_preemptable_))
    next_preemptable_ = job.preemptable_from;
  return why == LeftAlone::no;
}

Preemption::Source Preemption::source_of(const PlacedJob& job) const {
  const QueueNumber queue = queue_of(job);
  return job.suspended == 0 ? queue : queue + static_cast<Source>(state_.rules().queues.size());
}

// Nobody is disturbed by slots that are lent: they come first.
std::vector<Preemption::Source> Preemption::sources_of(QueueNumber queue) const {
  std::vector<Source> sources;
  if (lends_to(queue))
    for (const QueueNumber lender : lenders_[queue])
      sources.push_back(lender + static_cast<Source>(state_.rules().queues.size()));
  const auto& victims = state_.rules().preempts[queue];
  sources.insert(sources.end(), victims.begin(), victims.end());
  return sources;
}

void Preemption::find_lenders() {
  for (const auto& lenders : lenders_)
    for (const QueueNumber queue : lenders)
      jobs_[queue + state_.rules().queues.size()].resize(state_.rules().hosts.size());
  if (lenders_.empty()) return;
  for (const JobKey key : state_.snapshot().tallies().suspended) {
    const PlacedJob& job = *state_.snapshot().placed(key);
    if (queue_of(job) == kNoQueue || !lends_slots(state_.snapshot(), job)) continue;
    auto& hosts = jobs_[source_of(job)];
    if (hosts.empty()) continue;
    for (const SlotsOn& on : job.placement.hosts) hosts[on.host].push_back(&job);
  }
}

void Preemption::find_running() {
  if (std::exchange(known_, true)) return;
  const PlacementRules& rules = state_.rules();
  jobs_.resize(2 * rules.queues.size());
  for (const auto& victims : rules.preempts)
    for (const QueueNumber queue : victims) jobs_[queue].resize(rules.hosts.size());
  for (const auto& [key, job] : state_.snapshot().placed_jobs()) {
    const QueueNumber queue = queue_of(job);
    if (queue == kNoQueue || jobs_[queue].empty() || !preemptable(job)) continue;
    // A provider counts a suspended job's slots as in use: it would refuse the other job.
    if (std::any_of(job.placement.hosts.begin(), job.placement.hosts.end(),
                    [&](const SlotsOn& on) { return rules.borrowed(on.host); }))
      continue;
    for (const SlotsOn& on : job.placement.hosts) jobs_[queue][on.host].push_back(&job);
  }
  find_lenders();
  for (auto& hosts : jobs_)
    for (Jobs& jobs : hosts)
      std::sort(jobs.begin(), jobs.end(), [](const PlacedJob* a, const PlacedJob* b) {
        return a->started != b->started ? a->started > b->started : a->key > b->key;
      });
}

void Preemption::lend(const PlacedJob& job, int sign) {
  for (const SlotsOn& on : job.placement.hosts) state_.lend(on.host, state_.room_of(job, on.slots), sign);
  for (const auto& [instance, amount] : state_.gives_back(job)) state_.lend_shared(instance, sign * amount);
  if (job.suspended != 0) return;  // the limits of its user count it until the next cycle
  for (const LimitShare& share : state_.limits_of(job)) state_.count(share, -sign);
}

// With the hosts on which jobs run that the demand may preempt, in its order.
Preemption::Cursors& Preemption::cursors_of(const HostSearch::Look& look) {
  const auto [place, is_new] = cursors_.try_emplace(look.entry);
  Cursors& cursors = place->second;
  if (!is_new) return cursors;
  std::vector<WorkingState::Room> more(state_.rules().hosts.size());
  for (const Source source : sources_of(look.entry->compiled->queue)) {
    cursors.at[source] = 0;
    for (HostNumber host = 0; host < more.size(); ++host)
      for (const PlacedJob* job : of(source)[host])
        for (const SlotsOn& on : job->placement.hosts) {
          if (on.host != host) continue;
          const auto room = state_.room_of(*job, on.slots);
          more[host].slots += room.slots;
          more[host].jobs += room.jobs;
          more[host].exclusive += room.exclusive;
        }
  }
  const auto shared = all_give_back(look);
  for (const auto& [instance, amount] : shared) state_.lend_shared(instance, amount);
  const Shares limits = all_count(look);
  for (const LimitShare& share : limits) state_.count(share, -1);
  for (HostNumber host = 0; host < more.size(); ++host) state_.lend(host, more[host], 1);
  const Compiled& compiled = *look.entry->compiled;
  const Ranking ranking(state_, look.entry->hosts.get(), *compiled.order);
  for (const HostNumber host : ranking.hosts()) {
    if (more[host].slots == 0 || search_.suits(*look.entry, host).slots == 0) continue;
    const int slots = most_on(look, host);
    if (slots == 0) continue;
    cursors.hosts.push_back(host);
    cursors.most += slots;
  }
  for (HostNumber host = 0; host < more.size(); ++host) state_.lend(host, more[host], -1);
  for (const auto& [instance, amount] : shared) state_.lend_shared(instance, -amount);
  for (const LimitShare& share : limits) state_.count(share, 1);
  return cursors;
}

int Preemption::free_for(const Demand& demand, HostNumber host) const {
  return std::clamp(state_.free_slots(host), 0, demand.min_slots);
}

// How many slots a job of the demand could have on the host, up to its least.
int Preemption::most_on(const HostSearch::Look& look, HostNumber host) const {
  const Demand& demand = look.entry->demand;
  const Compiled& compiled = *look.entry->compiled;
  int most = 0;
  for (const Alternative& alternative : compiled.alternatives)
    most = std::max(most, state_.room(demand, compiled, alternative, host, demand.min_slots, {}).slots);
  return most;
}

std::optional<Preemption::Found> Preemption::find(const HostSearch::Look& look, const PendingJob& job,
                                                  bool preempts) {
  const Demand& demand = look.entry->demand;
  PreemptionAttempt* const told = log_ == nullptr ? nullptr : &log_->emplace_back();
  if (told) *told = {.job = job.key, .demand = job.demand};
  const bool may = !demand.exclusive || state_.rules().preempts_exclusive;
  if (!may || demand.whole_hosts) return std::nullopt;
  find_running();
  std::vector<Source> sources = sources_of(look.entry->compiled->queue);
  if (!preempts) sources.resize(lenders_[look.entry->compiled->queue].size());
  Draft draft{look, job, cursors_of(look), std::move(sources), told};
  if (demand.min_slots > 1) start_with_free_hosts(draft);
  long long most = draft.cursors.most;
  for (const HostNumber host : draft.hosts) most += free_for(demand, host);
  if (told) {
    told->tried = true;
    told->most = most;
    told->hosts = draft.cursors.hosts;
  }
  take_resources(draft);
  if (!take_limits(draft)) return give_up(draft);
  if (!draft.room && most < demand.min_slots) return give_up(draft);
  for (const Source source : draft.sources)
    if (draft.room || add_victims(draft, source)) break;
  if (!draft.room && !draft.victims.empty()) {
    draft.next_look = 0;
    enough(draft);
  }
  if (!draft.room) return give_up(draft);
  spare(draft);
  if (draft.look.entry->compiled->fewest_victims && demand.min_slots > 1) take_fewest(draft);
  if (told) told->missing.clear();
  for (const PlacedJob* victim : draft.victims) {
    suspended_.insert(victim->key);
    if (told) told->victims.push_back(victim->key);
  }
  return Found{std::move(*draft.room), std::move(draft.victims)};
}

std::nullopt_t Preemption::give_up(Draft& draft) {
  for (const PlacedJob* victim : std::exchange(draft.victims, {})) lend(*victim, -1);
  return std::nullopt;
}

// True: the job has room.
bool Preemption::add_victims(Draft& draft, Source source) {
  std::size_t& cursor = draft.cursors.at[source];
  const auto& hosts = draft.cursors.hosts;
  const auto& excluded = draft.job.excluded;
  for (std::size_t at = cursor; at < hosts.size(); ++at) {
    const Jobs& jobs = of(source)[hosts[at]];
    const bool none = std::all_of(jobs.begin(), jobs.end(),
                                  [this](const PlacedJob* job) { return suspended_.contains(job->key); });
    if (none && at == cursor) ++cursor;
    if (none || std::find(excluded.begin(), excluded.end(), hosts[at]) != excluded.end()) continue;
    if (add_victims_on(draft, source, hosts[at])) return true;
  }
  return false;
}

bool Preemption::add_victims_on(Draft& draft, Source source, HostNumber host) {
  if (draft.in.insert(host).second) draft.hosts.push_back(host);
  const bool serial = draft.serial();
  const Shares limits = serial ? full(wanted_on(draft, host)) : Shares{};
  bool has_slot = false;  // what keeps the job from it is a limit, if anything
  for (const PlacedJob* job : of(source)[host]) {
    if (suspended_.contains(job->key) || draft.chosen.contains(job->key)) continue;
    if (has_slot && !counts_for(*job, limits)) continue;
    draft.chosen.insert(job->key);
    draft.victims.push_back(job);
    lend(*job, 1);
    if (!serial) continue;
    if (enough(draft)) return true;
    has_slot = state_.free_slots(host) > 0;
  }
  // A serial job that the host cannot take for another reason leaves its jobs alone.
  if (serial) {
    for (; draft.victims.size() > draft.base; draft.victims.pop_back()) {
      lend(*draft.victims.back(), -1);
      draft.chosen.erase(draft.victims.back()->key);
    }
    draft.hosts.clear();
    draft.in.clear();
    if (draft.told) draft.told->without_room.emplace_back(source, host);
    return false;
  }
  return enough(draft);
}

// Whether the draft's hosts hold the job now. A parallel job is tried after one host, two, four, ... so that many hosts cost
// little.
bool Preemption::enough(Draft& draft) {
  const Demand& demand = draft.demand();
  if (!draft.serial() && ++draft.looked_at < draft.next_look) return false;
  draft.next_look = 2 * draft.looked_at;
  int slots = 0;
  for (const HostNumber host : draft.hosts) slots += free_for(demand, host);
  if (slots >= demand.min_slots) draft.room = search_.find_on(draft.look, draft.hosts);
  return draft.room.has_value();
}

// Lets those jobs run whose slots the room does not need, the last one chosen first.
void Preemption::spare(Draft& draft) {
  std::map<HostNumber, int> over;  // free slots beyond what the job takes
  for (const PlacedJob* victim : draft.victims)
    for (const SlotsOn& on : victim->placement.hosts) over[on.host] = state_.free_slots(on.host);
  std::unordered_set<HostNumber> taken;
  for (const SlotsOn& on : draft.room->hosts) {
    taken.insert(on.host);
    if (const auto found = over.find(on.host); found != over.end()) found->second -= on.slots;
  }
  auto left = left_over(draft);
  auto limits = left_of_limits(draft);
  for (auto victim = draft.victims.end(); victim != draft.victims.begin();) {
    --victim;
    if (!enough_without(**victim, left) || !within_limits(**victim, limits)) continue;
    const auto& hosts = (*victim)->placement.hosts;
    const bool alone = draft.demand().exclusive || (*victim)->placement.exclusive;
    if (std::any_of(hosts.begin(), hosts.end(), [&](const SlotsOn& on) {
          return over[on.host] < on.slots || (alone && taken.contains(on.host));
        }))
      continue;
    for (const SlotsOn& on : hosts) over[on.host] -= on.slots;
    for (const auto& [instance, amount] : state_.gives_back(**victim)) left[instance] -= amount;
    take_off(**victim, limits);
    lend(**victim, -1);
    if (draft.told) draft.told->spared.push_back((*victim)->key);
    victim = draft.victims.erase(victim);
  }
}

const std::vector<Preemption::Group>& Preemption::by_size(const Draft& draft) {
  auto& known = draft.cursors.by_size;
  if (known) return *known;
  const auto& hosts = draft.cursors.hosts;
  const std::vector<Source> sources = sources_of(draft.look.entry->compiled->queue);
  const auto& span = draft.look.entry->compiled->span;
  const bool one_host = span && span->hosts == 1;
  std::vector<bool>& of_use = draft.cursors.of_use;
  of_use.resize(state_.rules().hosts.size());
  for (const HostNumber host : hosts) of_use[host] = true;
  std::unordered_set<JobKey> seen;
  known.emplace(one_host ? hosts.size() : 1);
  for (std::size_t rank = 0; rank < sources.size(); ++rank)
    for (std::size_t at = 0; at < hosts.size(); ++at)
      for (const PlacedJob* job : of(sources[rank])[hosts[at]]) {
        if (!one_host && job->placement.hosts.size() > 1 && !seen.insert(job->key).second) continue;
        int slots = 0;
        for (const SlotsOn& on : job->placement.hosts)
          if (one_host ? on.host == hosts[at] : of_use[on.host]) slots += on.slots;
        (*known)[one_host ? at : 0].jobs.push_back({job, slots, rank});
      }
  for (std::size_t at = 0; at < known->size(); ++at) {
    Group& group = (*known)[at];
    if (one_host) group.host = hosts[at];
    std::stable_sort(group.jobs.begin(), group.jobs.end(),
                     [](const Sized& a, const Sized& b) { return a.slots > b.slots; });
  }
  return *known;
}

// Puts other victims in place of the draft's, if they are fewer.
void Preemption::take_fewest(Draft& draft) {
  if (draft.victims.size() < 2) return;
  const auto& sources = draft.sources;
  std::size_t last_rank = 0;
  for (const PlacedJob* victim : draft.victims) {
    const auto at = std::find(sources.begin(), sources.end(), source_of(*victim));
    last_rank = std::max(last_rank, static_cast<std::size_t>(at - sources.begin()));
    lend(*victim, -1);
  }
  Draft other{draft.look, draft.job, draft.cursors, draft.sources, draft.told};
  const std::vector<HostNumber> free = search_.free_hosts(draft.look);
  for (const Group& group : by_size(draft)) {
    if (draft.victims.size() < 2) break;
    other.hosts = group.host == kNoHost ? free : std::vector{group.host};
    if (!could_do(other, group, draft.victims.size() - 1)) continue;
    if (!take_largest(other, group, last_rank, draft.victims.size() - 1)) continue;
    spare(other);
    for (const PlacedJob* victim : other.victims) lend(*victim, -1);
    draft.victims = std::exchange(other.victims, {});
    draft.room = std::exchange(other.room, std::nullopt);
    if (draft.told) draft.told->fewest = true;
  }
  for (const PlacedJob* victim : draft.victims) lend(*victim, 1);
}

// Whether the draft's hosts and so many jobs of the group may have enough slots. Few groups pass, and only these are tried.
bool Preemption::could_do(const Draft& draft, const Group& group, std::size_t most) const {
  long long slots = 0;
  for (const HostNumber host : draft.hosts) slots += free_for(draft.demand(), host);
  for (std::size_t i = 0; i < std::min(most, group.jobs.size()); ++i) slots += group.jobs[i].slots;
  return slots >= draft.demand().min_slots;
}

// True: the draft has room with at most `most` victims. False: it has none, and no slot is lent.
bool Preemption::take_largest(Draft& draft, const Group& group, std::size_t last_rank, std::size_t most) {
  const auto& excluded = draft.job.excluded;
  const auto is_excluded = [&](HostNumber host) {
    return std::find(excluded.begin(), excluded.end(), host) != excluded.end();
  };
  if (is_excluded(group.host)) return false;
  draft.in = {draft.hosts.begin(), draft.hosts.end()};
  for (const auto& [job, slots, rank] : group.jobs) {
    if (draft.victims.size() == most) break;
    if (rank > last_rank || suspended_.contains(job->key)) continue;
    draft.victims.push_back(job);
    lend(*job, 1);
    for (const SlotsOn& on : job->placement.hosts)
      if (draft.cursors.of_use[on.host] && !is_excluded(on.host) && draft.in.insert(on.host).second)
        draft.hosts.push_back(on.host);
    draft.next_look = 0;
    if (enough(draft)) return true;
  }
  for (const PlacedJob* victim : std::exchange(draft.victims, {})) lend(*victim, -1);
  return false;
}

bool Preemption::settle(DemandNumber demand, const NumberedPlacement& placement,
                        const std::vector<const PlacedJob*>& victims) {
  std::map<HostNumber, int> lent;
  for (const PlacedJob* victim : victims)
    for (const SlotsOn& on : victim->placement.hosts) lent[on.host] += on.slots;
  for (const SlotsOn& on : placement.hosts)
    if (const auto found = lent.find(on.host); found != lent.end())
      found->second = std::max(0, found->second - on.slots);
  bool left = false;
  for (const auto& [host, slots] : lent) {
    state_.lend(host, {slots, 0, 0}, -1);
    left = left || slots > 0;
  }
  // The rest of the host of a job of -x is free in the next cycle too.
  for (const PlacedJob* victim : victims)
    if (victim->placement.exclusive)
      for (const SlotsOn& on : victim->placement.hosts) {
        state_.lend(on.host, {0, 0, 1}, -1);
        left = true;
      }
  left = settle_limits(demand, placement, victims) || left;
  return settle_resources(placement, victims) || left;
}

}  // namespace rollcall::sched::cycle
