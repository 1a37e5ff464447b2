#include "sched/policy/cycle/working_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/week_minute.hpp"

namespace rollcall::sched::cycle {
namespace {

int whole(double number, int most) {
  if (number >= most) return most;
  return number < 0 ? 0 : static_cast<int>(number + kDust);
}

}  // namespace

// A host as select expressions see it in the cycle.
class HostInCycle final : public resreq::HostView {
 public:
  HostInCycle(const WorkingState& state, HostNumber host)
      : state_(state), values_(state.snapshot_->values(host)), host_(host) {}
  double number(ResourceId id) const override { return state_.number(host_, id); }
  std::string_view word(ResourceId id) const override {
    if (!state_.rules().shared_resource(id)) return values_.words[id];
    const auto instance = state_.rules().instance_of(id, host_);
    return instance ? std::string_view(state_.snapshot_->shared_word(*instance)) : std::string_view();
  }
  bool has(ResourceId id) const override {
    const auto type = state_.rules().indices().at(id).type;
    if (type == ResourceType::boolean) return values_.has[id];
    return type == ResourceType::string ? !word(id).empty() : !std::isnan(number(id));
  }

 private:
  const WorkingState& state_;
  const HostValues& values_;
  HostNumber host_;
};

WorkingState::WorkingState(const Snapshot& snapshot, WallTime now)
    : snapshot_(&snapshot), now_(now), local_(week_minute(now, snapshot.utc_offset_s)) {
  const std::size_t count = rules().hosts.size();
  const Tallies& tallies = snapshot.tallies();
  jobs_ = tallies.jobs;
  exclusive_.assign(tallies.exclusive.begin(), tallies.exclusive.end());
  if (rules().preempts_exclusive)  // a preempted job is in no other one's way
    for (const JobKey key : tallies.suspended)
      if (const PlacedJob& job = *snapshot.placed(key); (job.suspended & wire::SUSPEND_PREEMPT) != 0)
        for (const SlotsOn& on : job.placement.hosts) --jobs_[on.host];
  if (rules().preempts_any)
    for (const JobKey key : tallies.suspended)
      if (const PlacedJob& job = *snapshot.placed(key); (job.suspended & wire::SUSPEND_PREEMPT) != 0)
        keep(job, 1);
  touched_.assign(count, false);
  started_.assign(count, false);
  taken_ = tallies.taken;
  reserved_.resize(rules().indices().size());
  for (const auto& [resource, column] : tallies.reserved) reserved_[resource] = column;
  reserved_shared_ = tallies.reserved_shared;
  for (const JobKey key : tallies.timed) reserve(*snapshot.placed(key));
  for (const auto& definition : rules().indices().all())
    sign_.push_back(definition.order == ResourceOrder::increasing ? 1 : -1);
  for (const LimitRule& rule : rules().limits) {
    const auto counts = [this](const conf::LimitAmount& amount) { return open(amount.windows); };
    const auto found = std::find_if(rule.amounts.begin(), rule.amounts.end(), counts);
    amounts_.push_back(found == rule.amounts.end() ? nullptr : &*found);
  }
  free_slots_.resize(count);
  obstacles_.assign(count, Obstacle::none);
  for (HostNumber host = 0; host < count; ++host) {
    const HostState& state = snapshot.host(host);
    const BatchRow* row = snapshot.values(host).row;
    const auto slots = snapshot.slots(host);
    free_slots_[host] = slots ? *slots - tallies.slots[host] : kUnlimited;
    if (rules().has_returned(host)) {
      obstacles_[host] = Obstacle::unavailable;
      continue;
    }
    obstacles_[host] = state.unavailable                                ? Obstacle::unavailable
                       : state.unreachable                              ? Obstacle::unreachable
                       : state.closed                                   ? Obstacle::closed
                       : state.closed_by_provider                       ? Obstacle::closed_by_provider
                       : state.lease_inactive                           ? Obstacle::lease_inactive
                       : has_unknown_jobs(host)                         ? Obstacle::unknown_jobs
                       : state.locked                                   ? Obstacle::locked
                       : row != nullptr && !open(row->dispatch_windows) ? Obstacle::window_closed
                                                                        : Obstacle::none;
    if (obstacles_[host] == Obstacle::none && !exclusive_[host]) all_free_ += std::max(0, free_slots_[host]);
  }
}

void WorkingState::reserve(const PlacedJob& job) {
  for (const Reservation& reservation : job.placement.reservations)
    if (ends(reservation))
      reserve(reservation.resource, reservation.host, held(rules(), job, reservation, now_));
}

void WorkingState::reserve(ResourceId resource, HostNumber host, double amount) {
  if (rules().shared_resource(resource)) {
    if (const auto instance = rules().instance_of(resource, host)) reserved_shared_[*instance] += amount;
    return;
  }
  auto& column = reserved_[resource];
  if (column.empty()) column.assign(rules().hosts.size(), 0);
  column[host] += amount;
}

Fit WorkingState::host_obstacle(HostNumber host) const {
  if (obstacles_[host] != Obstacle::none) return {0, obstacles_[host]};
  if (exclusive_[host]) return {0, Obstacle::exclusive_job};
  if (const BatchRow* row = snapshot_->values(host).row; row != nullptr && !row->thresholds.empty())
    if (const auto index = beyond(host, row->thresholds, false)) return {0, Obstacle::busy, *index};
  return {};
}

double WorkingState::shared_left(std::uint32_t instance) const {
  return snapshot_->shared_number(instance) - reserved_shared_[instance];
}

double WorkingState::number(HostNumber host, ResourceId id) const {
  if (rules().shared_resource(id)) {
    const auto instance = rules().instance_of(id, host);
    return instance ? shared_left(*instance) : std::numeric_limits<double>::quiet_NaN();
  }
  const double value = snapshot_->values(host).numbers[id];
  return reserved_[id].empty() ? value : value + sign_[id] * reserved_[id][host];
}

double WorkingState::order_number(HostNumber host, ResourceId id) const {
  if (id > r15m) return number(host, id);
  const double value = snapshot_->values(host).normalised[id];
  return reserved_[id].empty() ? value : value + reserved_[id][host];
}

std::optional<ResourceId> WorkingState::beyond(HostNumber host, const std::vector<IndexThreshold>& thresholds,
                                               bool stop) const {
  for (const IndexThreshold& threshold : thresholds) {
    const auto& limit = stop ? threshold.stop : threshold.schedule;
    if (!limit) continue;
    const double value = number(host, threshold.index);
    if (sign_[threshold.index] > 0 ? value > *limit : value < *limit) return threshold.index;
  }
  return std::nullopt;
}

std::vector<ResourceId> WorkingState::all_beyond(HostNumber host,
                                                 const std::vector<IndexThreshold>& thresholds,
                                                 bool stop) const {
  std::vector<ResourceId> indices;
  for (const IndexThreshold& threshold : thresholds)
    if (beyond(host, {threshold}, stop)) indices.push_back(threshold.index);
  return indices;
}

bool WorkingState::matches(const Select& select, HostNumber host) const {
  return select.bound.matches(HostInCycle(*this, host));
}

double WorkingState::value(const resreq::BoundSelect& expression, HostNumber host) const {
  return expression.number(HostInCycle(*this, host));
}

double WorkingState::most_of(ResourceId id) const {
  const auto [found, added] = most_.try_emplace(id, -HUGE_VAL);
  if (!added) return found->second;
  for (HostNumber host = 0; host < rules().hosts.size(); ++host) {
    if (free_slots_[host] <= 0 || obstacles_[host] != Obstacle::none) continue;
    const double value = number(host, id);
    if (!std::isnan(value)) found->second = std::max(found->second, value);
  }
  return found->second;
}

bool WorkingState::hopeless(const Alternative& alternative) const {
  return std::any_of(alternative.takes.begin(), alternative.takes.end(), [this](const Take& take) {
    return take.limited && !(most_of(take.resource) + kDust >= take.amount);
  });
}

std::vector<resreq::Part> WorkingState::parts(const Select& select, HostNumber host) const {
  return select.bound.parts(HostInCycle(*this, host));
}

std::optional<double> WorkingState::most(std::uint32_t number, HostNumber host) const {
  const LimitRule& rule = rules().limits[number];
  if (rule.of_host_row) {
    const BatchRow* row = snapshot_->values(host).row;
    return row != nullptr && row->user_slots ? std::optional<double>(*row->user_slots) : std::nullopt;
  }
  const conf::LimitAmount* amount = amounts_[number];
  if (amount == nullptr) return std::nullopt;
  if (host == kNoHost) return amount->percent ? std::nullopt : std::optional(amount->amount);
  const HostValues& values = snapshot_->values(host);
  // Rounded up, so that a fraction allows one job on a host of one CPU.
  if (rule.per_processor) return std::ceil(amount->amount * values.cpus - kDust);
  if (!amount->percent) return amount->amount;
  // Per cent of the host's total.
  const char* const whole = rule.resource == mem ? "maxmem" : rule.resource == swp ? "maxswp" : "maxtmp";
  const auto id = rules().indices().find(whole);
  const double total =
      rule.of == LimitOf::slots ? snapshot_->slots(host).value_or(kUnlimited) : values.numbers[*id];
  return std::isnan(total) ? std::nullopt : std::optional(total * amount->amount / 100);
}

double WorkingState::taken(Charge charge, HostNumber host) const {
  if (host == kNoHost) return taken_[charge.tally];
  const auto place = on_host(charge.tally, host);
  const auto& before = snapshot_->tallies().taken_on;
  const auto old = before.find(place);
  const auto more = more_on_host_.find(place);
  return (old == before.end() ? 0 : old->second) + (more == more_on_host_.end() ? 0 : more->second);
}

int WorkingState::array_jobs(std::int32_t array) const {
  const auto& before = snapshot_->tallies().array_jobs;
  const auto old = before.find(array);
  const auto more = more_of_array_.find(array);
  return (old == before.end() ? 0 : old->second) + (more == more_of_array_.end() ? 0 : more->second);
}

double WorkingState::drafted(const Allocation& draft, TallyNumber tally) const {
  for (const auto& [number, amount] : draft.taken)
    if (number == tally) return amount;
  return 0;
}

namespace {

// The amount of a resource that `slots` slots on one more host take.
double cost(const Take& take, int slots, bool first_host) {
  return reserved_amount(take.per, take.amount, slots, first_host);
}

// The most slots, up to `wanted`, that `left` is enough for.
int slots_for(double left, const Take& take, int wanted, bool first_host) {
  if (take.per == PlacementRules::Per::slot) return whole(left / take.amount, wanted);
  return left + kDust >= cost(take, wanted, first_host) ? wanted : 0;
}

// What a limit of this rule counts for `slots` slots on one more host. `before`: what it counts of the job already.
double count_of(const LimitRule& rule, const Alternative& alternative, int slots, double before,
                bool first_host) {
  if (rule.of == LimitOf::slots) return slots;
  if (rule.of == LimitOf::jobs) return rule.per_host || before == 0 ? 1 : 0;
  double count = 0;
  for (const Take& take : alternative.takes)
    if (take.resource == rule.resource) count += cost(take, slots, first_host);
  return count;
}

}  // namespace

Fit WorkingState::room_of_take(const Take& take, HostNumber host, int wanted, const Allocation& draft) const {
  if (!take.limited) return {wanted};
  double left = number(host, take.resource);
  if (take.shared)
    if (const auto instance = rules().instance_of(take.resource, host))
      for (const auto& [number, amount] : draft.shared)
        if (number == *instance) left -= amount;
  const int slots = std::isnan(left) ? 0 : slots_for(left, take, wanted, draft.hosts.empty());
  return slots > 0 ? Fit{slots} : Fit{0, Obstacle::reserving, take.resource};
}

int WorkingState::room_of_charge(Charge charge, const Alternative& alternative, HostNumber host, int wanted,
                                 const Allocation& draft) const {
  const LimitRule& rule = rules().limits[charge.rule];
  if (rule.hosts && !(*rule.hosts)[host]) return wanted;
  const auto most = this->most(charge.rule, rule.per_host ? host : kNoHost);
  if (!most) return wanted;
  const double before = rule.per_host ? 0 : drafted(draft, charge.tally);
  const double left = *most - taken(charge, rule.per_host ? host : kNoHost) - before;
  if (rule.of == LimitOf::slots) return whole(left, wanted);
  const bool first = draft.hosts.empty();
  if (count_of(rule, alternative, wanted, before, first) <= left + kDust) return wanted;
  // With fewer slots the rule may count less, if it counts slots or a resource per slot: bisect.
  int least = 0, enough = wanted;
  while (least + 1 < enough) {
    const int middle = (least + enough) / 2;
    (count_of(rule, alternative, middle, before, first) <= left + kDust ? least : enough) = middle;
  }
  return least;
}

Fit WorkingState::room(const Demand& demand, const Compiled& compiled, const Alternative& alternative,
                       HostNumber host, int wanted, const Allocation& draft) const {
  // No other demand may learn from it that the host is full: the slots are kept from some queues only.
  const int kept = free_slots_[host] <= 0 ? 0 : this->kept(compiled.queue, host);
  Fit fit{std::min(wanted, free_slots_[host] - kept)};
  if (fit.slots <= 0) return {0, Obstacle::full, 0, kept > 0};
  if (demand.exclusive && jobs_[host] > 0) return {0, Obstacle::not_empty};
  for (const Take& take : alternative.takes) {
    fit = room_of_take(take, host, fit.slots, draft);
    if (fit.slots <= 0) return fit;
  }
  fit.limited = kept > 0;
  for (const Charge charge : compiled.charges) {
    const int slots = room_of_charge(charge, alternative, host, fit.slots, draft);
    if (slots <= 0) return {0, Obstacle::limit, charge.rule, true};
    fit.limited = fit.limited || slots < fit.slots;
    fit.slots = slots;
  }
  return fit;
}

void WorkingState::add(const Compiled& compiled, const Alternative& alternative, HostNumber host, int slots,
                       Allocation& draft) const {
  const bool first = draft.hosts.empty();
  const auto more = [](auto& list, auto number, double amount) {
    for (auto& [known, sum] : list)
      if (known == number) return void(sum += amount);
    list.emplace_back(number, amount);
  };
  for (const Charge charge : compiled.charges) {
    const LimitRule& rule = rules().limits[charge.rule];
    if (rule.per_host || (rule.hosts && !(*rule.hosts)[host])) continue;
    more(draft.taken, charge.tally, count_of(rule, alternative, slots, drafted(draft, charge.tally), first));
  }
  for (const Take& take : alternative.takes)
    if (take.shared)
      if (const auto instance = rules().instance_of(take.resource, host))
        more(draft.shared, *instance, cost(take, slots, first));
  draft.hosts.push_back({host, slots});
  draft.slots += slots;
}

NumberedPlacement WorkingState::take(const Demand& demand, const Compiled& compiled, Allocation draft) {
  const Alternative& alternative = *draft.alternative;
  bool first = true;
  for (const SlotsOn& on : draft.hosts) {
    free_slots_[on.host] -= on.slots;
    all_free_ -= on.slots;
    ++jobs_[on.host];
    started_[on.host] = true;
    if (demand.exclusive) {
      ++exclusive_[on.host];
      all_free_ -= free_slots_[on.host];
      free_slots_[on.host] = 0;  // an exclusive job has the host to itself
    }
    for (const Charge charge : compiled.charges) {
      const LimitRule& rule = rules().limits[charge.rule];
      if (rule.per_host && (!rule.hosts || (*rule.hosts)[on.host]))
        more_on_host_[on_host(charge.tally, on.host)] += count_of(rule, alternative, on.slots, 0, first);
    }
    first = false;
  }
  for (const auto& [tally, amount] : draft.taken) taken_[tally] += amount;
  if (demand.array != 0) ++more_of_array_[demand.array];
  NumberedPlacement placement;
  placement.hosts = std::move(draft.hosts);
  placement.exclusive = demand.exclusive;
  if (!placement.hosts.empty())
    if (const double factor = snapshot_->values(placement.hosts[0].host).cpu_factor; factor > 0)
      placement.cpu_factor = factor;
  reserve(alternative, placement);
  return placement;
}

// Reserves the resources of rusage on the hosts of the placement, then chooses the GPUs.
void WorkingState::reserve(const Alternative& alternative, NumberedPlacement& placement) {
  bool first = true;
  for (const SlotsOn& on : placement.hosts) {
    for (const Take& take : alternative.takes) {
      const double amount = cost(take, on.slots, first);
      if (amount <= 0) continue;
      reserve(take.resource, on.host, amount);
      touched_[on.host] = true;
      // An instance of a lease is held as long as the job runs, as its provider counts it.
      const bool timed = take.duration_s != 0 && !(take.shared && rules().borrowed(on.host));
      const WallTime until = timed ? WallTime{now_.us + take.duration_s * 1'000'000} : WallTime{};
      placement.reservations.push_back({take.resource, on.host, amount, until, take.decay && timed});
    }
    first = false;
  }
  if (!rules().gpus) return;
  choose_devices(placement, *rules().gpus, [this](HostNumber host) { return devices_held(host); });
  for (const auto& [host, numbers] : placement.devices)
    more_devices_[host].insert(more_devices_[host].end(), numbers.begin(), numbers.end());
}

std::set<std::uint32_t> WorkingState::devices_held(HostNumber host) const {
  std::set<std::uint32_t> held;
  for (const JobKey key : snapshot_->jobs_on(host))
    for (const auto& on : snapshot_->placed(key)->placement.devices)
      if (on.host == host) held.insert(on.numbers.begin(), on.numbers.end());
  if (const auto more = more_devices_.find(host); more != more_devices_.end())
    held.insert(more->second.begin(), more->second.end());
  return held;
}

}  // namespace rollcall::sched::cycle
