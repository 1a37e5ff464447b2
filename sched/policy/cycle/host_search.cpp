#include "sched/policy/cycle/host_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rollcall::sched::cycle {
namespace {

// Hosts or slots, whichever min_slots and max_slots of the demand count.
int counted(const Demand& demand, const Allocation& draft) {
  return demand.whole_hosts ? static_cast<int>(draft.hosts.size()) : draft.slots;
}

}  // namespace

HostSearch::Look HostSearch::look(const Snapshot::DemandEntry& entry) {
  const Compiled& compiled = *entry.compiled;
  const std::size_t count = state_->rules().hosts.size();
  Look look;
  look.entry = &entry;
  look.most_slots = entry.demand.max_slots;
  auto& ranking = rankings_[{entry.hosts.get(), compiled.order.get()}];
  if (!ranking) ranking = std::make_unique<Ranking>(*state_, entry.hosts.get(), *compiled.order);
  look.ranking = ranking.get();
  look.candidates = &candidates(entry, *ranking);
  if (!look.candidates->few) {
    look.selected = &selected_[compiled.select.get()];
    if (look.selected->empty()) look.selected->assign(count, unknown);
  }
  queued_.resize(state_->rules().queues.size());
  auto& queued = queued_[compiled.queue];
  if (queued.empty()) queued.assign(count, unknown);
  look.queued = &queued;
  look.cursors.resize(compiled.alternatives.size());
  return look;
}

HostSearch::Candidates& HostSearch::candidates(const Snapshot::DemandEntry& entry, const Ranking& ranking) {
  const Select& select = *entry.compiled->select;
  Candidates& known = candidates_[{&select, &ranking}];
  if (std::exchange(known.known, true) || !select.sieve) return known;
  known.few = index_.passing(*select.sieve);
  if (!known.few) return known;
  std::erase_if(*known.few, [&ranking](HostNumber host) { return !ranking.has(host); });
  return known;
}

// Best first: all hosts of the ranking, or the few that pass the sieve.
const std::vector<HostNumber>& HostSearch::hosts_of(Look& look) const {
  const Ranking& ranking = *look.ranking;
  auto& few = look.candidates->few;
  auto& sorted = look.candidates->sorted;
  if (!few) return ranking.hosts();
  if (sorted != ranking.generation()) {
    std::sort(few->begin(), few->end(),
              [&ranking](HostNumber a, HostNumber b) { return ranking.before(a, b); });
    sorted = ranking.generation();
  }
  return *few;
}

Fit HostSearch::suits_queue(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const QueueRule& queue = state_->rules().queues[entry.compiled->queue];
  if (queue.accept_interval_s > 0) {
    const WallTime last = state_->snapshot().host(host).last_start;
    const bool waits = !last.never() && state_->now().us < last.us + queue.accept_interval_s * 1'000'000;
    if (waits || state_->started_now(host)) return {0, Obstacle::recently};
  }
  if (const auto index = state_->beyond(host, queue.thresholds, false))
    return {0, Obstacle::queue_threshold, *index};
  return {1};
}

Fit HostSearch::suits_select(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const Compiled& compiled = *entry.compiled;
  for (const ResourceId id : state_->snapshot().values(host).dedicated)
    if (!compiled.select->named.contains(id)) return {0, Obstacle::dedicated, id};
  if (state_->matches(*compiled.select, host)) return {1};
  const bool by_queue = compiled.queue_select && !state_->matches(*compiled.queue_select, host);
  return {0, by_queue ? Obstacle::queue_select : Obstacle::select};
}

Fit HostSearch::suits(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const HostList* const list = entry.hosts.get();
  if (list ? !list->asked[host] : state_->rules().borrowed(host))
    return {0, list ? Obstacle::not_asked : Obstacle::not_of_queue};
  if (list && !list->in[host])
    return {0, !list->serial.empty() && list->serial[host] ? Obstacle::serial_only : Obstacle::not_of_queue};
  if (of_root(entry, host)) return {0, Obstacle::of_root};
  if (in_part(entry, host)) return {0, Obstacle::in_part};
  if (const Fit fit = state_->host_obstacle(host); fit.obstacle != Obstacle::none) return fit;
  if (const Fit fit = suits_queue(entry, host); fit.slots == 0) return fit;
  return suits_select(entry, host);
}

// No cluster runs another one's job as root. So root's jobs use only hosts of clusters in which our UserMap gives root an account.
bool HostSearch::of_root(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const PlacementRules& rules = state_->rules();
  return entry.demand.user == "root" && rules.borrowed(host) &&
         !rules.root_has_account.contains(rules.hosts[host].cluster());
}

// -nnodes asks for whole hosts, and only some of the host's slots are lent to us.
bool HostSearch::in_part(const Snapshot::DemandEntry& entry, HostNumber host) const {
  if (!entry.demand.whole_hosts || !state_->rules().borrowed(host)) return false;
  const BorrowedShare* const share = state_->snapshot().share(host);
  return share == nullptr || !share->whole;
}

// Whether the host matches the select; remembered for all demands with this select.
bool HostSearch::selects(Look& look, HostNumber host) const {
  if (look.selected == nullptr) return suits_select(*look.entry, host).slots > 0;
  auto& selected = (*look.selected)[host];
  if (selected == unknown) selected = suits_select(*look.entry, host).slots > 0 ? yes : no;
  return selected == yes;
}

// Whether a host of the ranking suits the demand and has room for its least. Uses remembered answers unless this cycle reserved
// something on the host.
bool HostSearch::usable(Look& look, const Alternative& alternative, HostNumber host) const {
  const auto& entry = *look.entry;
  if (state_->touched(host)) {
    if (suits(entry, host).slots == 0) return false;
  } else {
    auto& queued = (*look.queued)[host];
    const bool counts_starts = state_->rules().queues[entry.compiled->queue].accept_interval_s > 0;
    if (queued == unknown || counts_starts) queued = suits_queue(entry, host).slots > 0 ? yes : no;
    if (queued == no || !selects(look, host) || in_part(entry, host) || of_root(entry, host)) return false;
  }
  const int least = this->least(entry, host);
  const Fit room = state_->room(entry.demand, *entry.compiled, alternative, host, least, {});
  look.limited = look.limited || room.limited;
  return room.slots >= least;
}

int HostSearch::least(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const Demand& demand = entry.demand;
  const auto& span = entry.compiled->span;
  if (span && span->hosts == 1) return demand.min_slots;
  const int tile = this->tile(entry, host);
  if (demand.whole_hosts) return tile;
  const bool whole_tiles = tile > 0 && demand.min_slots == demand.max_slots && demand.min_slots % tile == 0;
  return whole_tiles ? tile : 1;
}

void HostSearch::each(Look& look, std::size_t number, const PendingJob& job, const Take& take) {
  Ranking& ranking = *look.ranking;
  ranking.follow(*state_, reserved_on_);
  const auto& hosts = hosts_of(look);
  auto& cursor = look.cursors[number];
  for (Cursor* one : {&cursor, &look.candidates->passed})
    if (one->generation != ranking.generation()) *one = {0, ranking.generation()};
  if (look.selected != nullptr) {
    auto& passed = look.candidates->passed.at;
    passed = std::max(passed, ranking.first_free(*state_));
    while (passed < hosts.size() && (*look.selected)[hosts[passed]] == no) ++passed;
    cursor.at = std::max(cursor.at, passed);
  }
  const Alternative& alternative = look.entry->compiled->alternatives[number];
  auto& frontier = look.candidates->frontier;
  cursor.at = std::max(cursor.at, frontier.passed({look.entry, &alternative}, ranking.generation()));
  const std::size_t began = cursor.at;
  for (std::size_t at = cursor.at; at < hosts.size(); ++at) {
    const HostNumber host = hosts[at];
    if (!usable(look, alternative, host)) {
      if (at == cursor.at) ++cursor.at;
      continue;
    }
    const auto& excluded = job.excluded;
    if (!excluded.empty() && std::find(excluded.begin(), excluded.end(), host) != excluded.end()) continue;
    if (!take(host)) break;
  }
  if (cursor.at > began && !look.limited) frontier.note({look.entry, &alternative}, cursor.at);
}

std::optional<Allocation> HostSearch::find(Look& look, const PendingJob& job) {
  const Compiled& compiled = *look.entry->compiled;
  for (std::size_t number = 0; number < compiled.alternatives.size(); ++number) {
    const Alternative& alternative = compiled.alternatives[number];
    if (state_->hopeless(alternative) || exhausted_.covers({look.entry, &alternative}, look.ranking))
      continue;
    const Each hosts = [&](const Take& take) { each(look, number, job, take); };
    Allocation draft =
        compiled.same.empty() ? fill(look, alternative, hosts) : fill_alike(look, alternative, hosts);
    draft.alternative = &alternative;
    if (counted(look.entry->demand, draft) >= look.entry->demand.min_slots) return draft;
    if (!look.limited && job.excluded.empty()) exhausted_.note({look.entry, &alternative}, look.ranking);
  }
  return std::nullopt;
}

std::vector<HostNumber> HostSearch::free_hosts(const Look& look) const {
  std::vector<HostNumber> hosts;
  for (const HostNumber host : look.ranking->hosts())
    if (state_->free_slots(host) > 0 && suits(*look.entry, host).slots > 0) hosts.push_back(host);
  return hosts;
}

std::optional<Allocation> HostSearch::find_on(const Look& look, const std::vector<HostNumber>& hosts) const {
  const Compiled& compiled = *look.entry->compiled;
  const int least = look.entry->demand.min_slots;
  Look capped = look;
  capped.most_slots = least;
  const Each each = [&hosts](const Take& take) {
    for (const HostNumber host : hosts)
      if (!take(host)) return;
  };
  for (const Alternative& alternative : compiled.alternatives) {
    Allocation draft =
        compiled.same.empty() ? fill(capped, alternative, each) : fill_alike(capped, alternative, each);
    draft.alternative = &alternative;
    if (counted(look.entry->demand, draft) >= least) return draft;
  }
  return std::nullopt;
}

int HostSearch::tile(const Snapshot::DemandEntry& entry, HostNumber host) const {
  const Compiled& compiled = *entry.compiled;
  if (entry.demand.whole_hosts)
    return std::max(1, state_->snapshot().slots(host).value_or(state_->snapshot().values(host).cpus));
  if (!compiled.span) return 0;
  if (compiled.span->ptile) return *compiled.span->ptile;
  if (!compiled.span->ptile_slots) return 0;
  const auto& words = state_->snapshot().values(host).words;
  const auto& indices = state_->rules().indices();
  for (const auto& [name, slots] : compiled.span->ptile_by)
    if (words[*indices.find("type")] == name || words[*indices.find("model")] == name) return slots;
  return std::max(1, state_->snapshot().slots(host).value_or(1));
}

// Adds what the host can give to the draft, or the host to `passed`. False: the draft is complete.
bool HostSearch::give(Look& look, const Alternative& alternative, HostNumber host, Allocation& draft,
                      std::vector<HostNumber>& passed) const {
  const Demand& demand = look.entry->demand;
  const Compiled& compiled = *look.entry->compiled;
  const bool one_host = compiled.span && compiled.span->hosts == 1;
  const int tile = this->tile(*look.entry, host);
  const int wanted = demand.whole_hosts ? tile : look.most_slots - draft.slots;
  const int asked = tile > 0 ? std::min(tile, wanted) : wanted;
  const Fit room = state_->room(demand, compiled, alternative, host, asked, draft);
  look.limited = look.limited || room.limited;
  const int slots = room.slots;
  const int least = one_host ? demand.min_slots : tile > 0 ? asked : 1;
  if (slots < least) {
    passed.push_back(host);
    return true;
  }
  state_->add(compiled, alternative, host, slots, draft);
  return !one_host && counted(demand, draft) < look.most_slots;
}

// A job on hosts of several clusters is started by ours, on a host of its own (docs/decisions/0106).
bool HostSearch::starts_somewhere(const Allocation& draft) const {
  if (draft.hosts.size() < 2 || !state_->rules().borrowed(draft.hosts.front().host)) return true;
  const auto first = cluster_of(draft.hosts.front().host);
  return std::all_of(draft.hosts.begin(), draft.hosts.end(),
                     [&](const SlotsOn& on) { return cluster_of(on.host) == first; });
}

// "": ours.
std::string_view HostSearch::cluster_of(HostNumber host) const {
  return state_->rules().hosts[host].cluster();
}

Allocation HostSearch::fill(Look& look, const Alternative& alternative, const Each& each) const {
  Allocation draft = fill_from(kNoHost, look, alternative, each);
  if (starts_somewhere(draft)) return draft;
  const HostList* const list = look.entry->hosts.get();
  if (list && !list->first.empty())  // the job says which host is the first
    return fill_within(cluster_of(draft.hosts.front().host), look, alternative, each);
  const auto& rules = state_->rules();
  const auto ours = std::find_if(draft.hosts.begin(), draft.hosts.end(),
                                 [&](const SlotsOn& on) { return !rules.borrowed(on.host); });
  if (ours == draft.hosts.end()) return fill_without_ours(draft, look, alternative, each);
  const Demand& demand = look.entry->demand;
  Allocation from_ours = fill_from(ours->host, look, alternative, each);
  if (counted(demand, from_ours) >= demand.min_slots) return from_ours;
  auto same_hosts = with_first(ours->host, look, alternative, draft.hosts);  // ours may have less than a tile
  return same_hosts ? std::move(*same_hosts) : std::move(from_ours);
}

// Hosts of one cluster alone.
Allocation HostSearch::fill_within(std::string_view cluster, Look& look, const Alternative& alternative,
                                   const Each& each) const {
  return fill_from(kNoHost, look, alternative, [&](const Take& take) {
    each([&](HostNumber host) { return cluster_of(host) != cluster || take(host); });
  });
}

// The best hosts, `draft`, are borrowed ones of several clusters. One of these clusters may have enough; else a host of ours is put before them.
Allocation HostSearch::fill_without_ours(const Allocation& draft, Look& look, const Alternative& alternative,
                                         const Each& each) const {
  const Demand& demand = look.entry->demand;
  std::vector<std::string_view> clusters;  // in the order of their best hosts
  for (const SlotsOn& on : draft.hosts)
    if (std::find(clusters.begin(), clusters.end(), cluster_of(on.host)) == clusters.end())
      clusters.push_back(cluster_of(on.host));
  Allocation best;
  for (const std::string_view cluster : clusters) {
    Allocation of_it = fill_within(cluster, look, alternative, each);
    if (counted(demand, of_it) > counted(demand, best)) best = std::move(of_it);
  }
  if (counted(demand, best) >= demand.min_slots) return best;
  std::vector<HostNumber> ours;
  each([&](HostNumber host) {
    if (!state_->rules().borrowed(host)) ours.push_back(host);
    return true;
  });
  for (const HostNumber host : ours) {
    best = fill_from(host, look, alternative, each);
    if (!best.hosts.empty())
      break;  // the first that has something for the job; the others of ours come behind it
  }
  return best;
}

// The same slots of the same hosts, of which `first` comes before the others; none: a first host needs more than that one has.
std::optional<Allocation> HostSearch::with_first(HostNumber first, Look& look, const Alternative& alternative,
                                                 std::vector<SlotsOn> hosts) const {
  std::stable_partition(hosts.begin(), hosts.end(), [&](const SlotsOn& on) { return on.host == first; });
  const Compiled& compiled = *look.entry->compiled;
  Allocation draft;
  for (const SlotsOn& on : hosts) {
    const Fit room = state_->room(look.entry->demand, compiled, alternative, on.host, on.slots, draft);
    look.limited = look.limited || room.limited;
    if (room.slots < on.slots) return std::nullopt;
    state_->add(compiled, alternative, on.host, on.slots, draft);
  }
  return draft;
}

// first: takes from that host before all others; kNoHost: the job's list of hosts says, or any.
Allocation HostSearch::fill_from(HostNumber first, Look& look, const Alternative& alternative,
                                 const Each& each) const {
  const Demand& demand = look.entry->demand;
  const Compiled& compiled = *look.entry->compiled;
  Allocation draft;
  std::vector<HostNumber> passed;
  const HostList* const list = look.entry->hosts.get();
  if (first != kNoHost) {
    if (!give(look, alternative, first, draft, passed) || draft.hosts.empty()) return draft;
    passed.clear();
  } else if (list && !list->first.empty()) {
    bool more = true;
    each([&](HostNumber host) {
      if (!list->first[host]) return true;
      more = give(look, alternative, host, draft, passed);
      first = host;
      return draft.hosts.empty();
    });
    if (draft.hosts.empty() || !more) return draft;
    passed.clear();
  }
  each([&](HostNumber host) { return host == first || give(look, alternative, host, draft, passed); });
  // The last host may have less than a tile.
  const int missing = demand.whole_hosts ? 0 : demand.min_slots - draft.slots;
  for (const HostNumber host : passed) {
    const int tile = this->tile(*look.entry, host);
    if (missing <= 0 || missing >= tile) continue;
    const Fit room = state_->room(demand, compiled, alternative, host, missing, draft);
    look.limited = look.limited || room.limited;
    if (room.slots < missing) continue;
    state_->add(compiled, alternative, host, missing, draft);
    break;
  }
  return draft;
}

// The host's values of the resources of same[], as one key; none where a value is unknown.
std::optional<std::string> HostSearch::kind(const Compiled& compiled, HostNumber host) const {
  const HostValues& values = state_->snapshot().values(host);
  std::string kind;
  for (const ResourceId id : compiled.same) {
    const auto type = state_->rules().indices().at(id).type;
    if (type == ResourceType::boolean) {
      kind += values.has[id] ? "1" : "0";
    } else if (!values.words[id].empty()) {
      kind += values.words[id];
    } else {
      const double number = state_->number(host, id);
      if (std::isnan(number)) return std::nullopt;
      kind += std::to_string(number);
    }
    kind += '\0';
  }
  return kind;
}

Allocation HostSearch::fill_alike(Look& look, const Alternative& alternative, const Each& each) const {
  std::vector<std::pair<std::string, std::vector<HostNumber>>> groups;  // in the order of their best hosts
  std::unordered_map<std::string, std::size_t> places;
  each([&](HostNumber host) {
    const auto kind = this->kind(*look.entry->compiled, host);
    if (!kind) return true;
    const auto [place, added] = places.emplace(*kind, groups.size());
    if (added) groups.emplace_back(*kind, std::vector<HostNumber>{});
    groups[place->second].second.push_back(host);
    return true;
  });
  Allocation best;
  for (const auto& [kind, hosts] : groups) {
    const Each alike = [&members = hosts](const Take& take) {
      for (const HostNumber host : members)
        if (!take(host)) return;
    };
    Allocation draft = fill(look, alternative, alike);
    const Demand& demand = look.entry->demand;
    if (counted(demand, draft) > counted(demand, best)) best = std::move(draft);
    if (counted(demand, best) >= look.most_slots) break;
  }
  return best;
}

void HostSearch::reserved_on(const std::vector<SlotsOn>& hosts) {
  for (const SlotsOn& on : hosts) reserved_on_.push_back(on.host);
}

}  // namespace rollcall::sched::cycle
