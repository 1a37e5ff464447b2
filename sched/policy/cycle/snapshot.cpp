#include "sched/policy/cycle/snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/conf/host_section.hpp"
#include "common/conf/row_reader.hpp"
#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double number_of(float value) { return known_load(value) ? static_cast<double>(value) : kUnknown; }

// All fields of a demand as one key.
std::string name_of(const Demand& demand) {
  std::string name;
  const auto add = [&name](const std::string& word) { name.append(word).append(1, '\0'); };
  for (const auto* word : {&demand.queue, &demand.user, &demand.project, &demand.user_group,
                           &demand.application, &demand.resreq, &demand.from_type, &demand.from_model})
    add(*word);
  for (const long long number :
       {static_cast<long long>(demand.min_slots), static_cast<long long>(demand.max_slots),
        static_cast<long long>(demand.exclusive), static_cast<long long>(demand.begin.us),
        static_cast<long long>(demand.array), static_cast<long long>(demand.array_slots),
        static_cast<long long>(demand.gpus_per_task), static_cast<long long>(demand.whole_hosts)})
    add(std::to_string(number));
  for (const auto& item : demand.asked_hosts) {
    add(item.name);
    add(item.cluster);
    add(std::to_string(item.preference) + (item.first_execution ? "!" : "") + (item.excluded ? "~" : ""));
  }
  return name;
}

// Resources that the host has no longer are in no fact.
void forget_static_numbers(const IndexTable& indices, HostValues& values) {
  for (ResourceId id = 0; id < indices.size(); ++id)
    if (!indices.at(id).dynamic()) values.numbers[id] = kUnknown;
}

void set_static_numbers(const HostFacts& facts, const IndexTable& indices, HostValues& values) {
  const auto set = [&](const char* name, double number, bool known) {
    if (const auto id = indices.find(name)) values.numbers[*id] = known ? number : kUnknown;
  };
  const auto count = [&](const char* name, double number) { set(name, number, number > 0); };
  count("ncpus", facts.ncpus);
  count("nprocs", facts.nprocs);
  count("ncores", facts.ncores);
  count("nthreads", facts.nthreads);
  count("ndisks", facts.ndisks);
  count("maxmem", static_cast<double>(facts.maxmem));
  count("maxswp", static_cast<double>(facts.maxswp));
  count("maxtmp", static_cast<double>(facts.maxtmp));
  set("cpuf", facts.cpu_factor, true);
  set("rexpri", facts.rexpri, true);
}

void set_words(const HostFacts& facts, const IndexTable& indices, HostValues& values) {
  const auto set = [&](const char* name, const std::string& word) {
    if (const auto id = indices.find(name)) values.words[*id] = word;
  };
  set("type", facts.type);
  set("model", facts.model);
  set("hname", facts.name);
  for (const auto& [name, value] : facts.values) {
    const auto id = indices.find(name);
    if (!id) continue;
    values.words[*id] = value;
    if (const auto number = conf::parse_real(value)) values.numbers[*id] = *number;
  }
}

// A type or model that lsf.shared here does not have gets its cluster's name behind it, so that it is `any` and no type of ours; types that
// hosts find by themselves are the same everywhere. A model that both have is as fast as ours says.
HostFacts as_seen_here(HostFacts facts, const PlacementRules& rules, const HostId& host) {
  const auto& shared = rules.cluster->shared;
  const auto known = [](const std::vector<std::string>& names, const std::string& name) {
    return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::string behind = "@" + std::string(host.cluster());
  if (const auto* model = shared.model(facts.model))
    facts.cpu_factor = model->cpu_factor;
  else if (!facts.model.empty())
    facts.model += behind;
  if (!known(shared.host_types, facts.type) && !conf::is_detected_type(facts.type)) facts.type += behind;
  facts.name = host.text();
  return facts;
}

}  // namespace

Snapshot::Snapshot(std::shared_ptr<const PlacementRules> rules) : rules_(std::move(rules)) {
  const std::size_t count = rules_->hosts.size();
  hosts_.resize(count);
  queues_.resize(rules_->queues.size());
  values_.resize(count);
  jobs_on_.resize(count);
  tallies_ = std::make_unique<Tallies>();
  tallies_->slots.assign(count, 0);
  tallies_->preempted.assign(count, 0);
  tallies_->jobs.assign(count, 0);
  tallies_->exclusive.assign(count, 0);
  tallies_->reserved_shared.assign(rules_->shared.size(), 0);
  compiler_ = std::make_unique<DemandCompiler>(*rules_);
  for (const SharedInstance& instance : rules_->shared) {
    shared_numbers_.push_back(instance.number.value_or(kUnknown));
    shared_words_.push_back(instance.word.value_or(""));
  }
  borrowed_.resize(count - rules_->own_hosts);
  lent_.resize(rules_->own_hosts);
  for (HostNumber host = 0; host < count; ++host) add_host(host);
}

void Snapshot::add_host(HostNumber host) {
  values_[host].numbers.assign(rules_->indices().size(), kUnknown);
  values_[host].normalised.fill(kUnknown);
  set_facts(host, rules_->cluster->facts(rules_->hosts[host].text()));
}

// Not the default copy: places in `ready` point to jobs of their own snapshot.
Snapshot::Snapshot(const Snapshot& other)
    : utc_offset_s(other.utc_offset_s),
      rules_(other.rules_),
      hosts_(other.hosts_),
      queues_(other.queues_),
      values_(other.values_),
      borrowed_(other.borrowed_),
      lent_(other.lent_),
      shared_numbers_(other.shared_numbers_),
      shared_lent_(other.shared_lent_),
      shared_words_(other.shared_words_),
      demands_(other.demands_),
      demand_numbers_(other.demand_numbers_),
      free_demands_(other.free_demands_),
      last_serial_(other.last_serial_),
      waiting_(other.waiting_),
      pending_(other.pending_),
      placed_(other.placed_),
      jobs_on_(other.jobs_on_),
      tallies_(std::make_unique<Tallies>(*other.tallies_)),
      compiler_(std::make_unique<DemandCompiler>(*other.compiler_)) {
  for (DemandEntry& entry : demands_) {
    std::set<Place> ready;
    for (const Place& place : entry.ready)
      ready.insert(ready.end(), {place.order, place.key, &pending_.at(place.key)});
    entry.ready = std::move(ready);
  }
}
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(Snapshot other) noexcept {
  std::swap(utc_offset_s, other.utc_offset_s);
  rules_.swap(other.rules_);
  hosts_.swap(other.hosts_);
  queues_.swap(other.queues_);
  values_.swap(other.values_);
  borrowed_.swap(other.borrowed_);
  lent_.swap(other.lent_);
  shared_numbers_.swap(other.shared_numbers_);
  shared_lent_.swap(other.shared_lent_);
  shared_words_.swap(other.shared_words_);
  demands_.swap(other.demands_);
  demand_numbers_.swap(other.demand_numbers_);
  free_demands_.swap(other.free_demands_);
  std::swap(last_serial_, other.last_serial_);
  waiting_.swap(other.waiting_);
  pending_.swap(other.pending_);
  placed_.swap(other.placed_);
  jobs_on_.swap(other.jobs_on_);
  tallies_.swap(other.tallies_);
  compiler_.swap(other.compiler_);
  return *this;
}
Snapshot::~Snapshot() = default;

void Snapshot::set_facts(HostNumber host, const HostFacts& told) {
  const IndexTable& indices = rules_->indices();
  HostFacts seen;
  const HostFacts& facts =
      rules_->borrowed(host) ? (seen = as_seen_here(told, *rules_, rules_->hosts[host])) : told;
  HostValues& values = values_[host];
  values.words.assign(indices.size(), {});
  values.has.assign(indices.size(), false);
  forget_static_numbers(indices, values);
  set_static_numbers(facts, indices, values);
  set_words(facts, indices, values);
  if (const auto server = indices.find("server")) values.has[*server] = facts.server;
  for (const std::string& name : facts.booleans)
    if (const auto id = indices.find(name)) values.has[*id] = true;
  values.dedicated.clear();
  for (const std::string& name : facts.dedicated)
    if (const auto id = indices.find(name)) values.dedicated.push_back(*id);
  values.cpus = std::max(1, facts.ncpus);
  values.cpu_factor = facts.cpu_factor;
  values.row = rules_->row_of(rules_->hosts[host], facts.model, facts.type);
}

void Snapshot::set_load(HostNumber host, const LoadVector& effective,
                        const std::array<float, 3>& normalised) {
  HostValues& values = values_[host];
  const IndexTable& indices = rules_->indices();
  for (ResourceId id = 0; id < std::min(indices.size(), effective.size()); ++id) {
    const auto& definition = indices.at(id);
    if (!definition.dynamic() || rules_->shared_resource(id)) continue;
    if (definition.type == ResourceType::string)
      values.words[id] = effective[id].word;
    else
      values.numbers[id] = number_of(effective[id].number);
  }
  for (std::size_t i = 0; i < normalised.size(); ++i) values.normalised[i] = number_of(normalised[i]);
  if (Borrowed* const here = borrowed(host)) {
    here->told_mem = values.numbers[mem];
    here->told_swp = values.numbers[swp];
    limit_memory(host);
  } else {
    lent_[host].told_mem = values.numbers[mem];
    lent_[host].told_swp = values.numbers[swp];
    hold_back_lent(host);
  }
}

void Snapshot::set_load(HostNumber host, const LoadVector& effective) {
  set_load(host, effective, {effective[r15s].number, effective[r1m].number, effective[r15m].number});
}

void Snapshot::set_shared(std::uint32_t instance, double number, std::string word) {
  shared_numbers_[instance] = number;
  shared_words_[instance] = std::move(word);
}

std::optional<int> Snapshot::slots(HostNumber host) const {
  const HostValues& values = values_[host];
  if (const BorrowedShare* const lent = share(host)) {
    const bool fewer = values.row != nullptr && !values.row->slots_of_cpus && values.row->slots;
    return fewer ? std::min(lent->slots, *values.row->slots) : lent->slots;
  }
  // A borrowed host of which no lease has said anything yet is no host of ours.
  static const LentOfHost kNothing;
  const LentOfHost& lent = rules_->borrowed(host) ? kNothing : lent_[host].what;
  if (lent.whole) return 0;
  std::optional<int> all;
  if (values.row != nullptr) all = values.row->slots_of_cpus ? std::optional(values.cpus) : values.row->slots;
  if (!lent.counted && lent.slots == 0) return all;
  return std::max(0, all.value_or(values.cpus) - lent.slots);  // without MXJ its CPUs are exported
}

void Snapshot::take_rules(std::shared_ptr<const PlacementRules> rules) {
  const auto before = static_cast<HostNumber>(rules_->hosts.size());
  for (HostValues& values : values_)  // rows are of the files, so they have the same places
    if (values.row != nullptr) values.row = rules->rows.data() + (values.row - rules_->rows.data());
  const auto old_rules = std::exchange(rules_, std::move(rules));
  const std::size_t count = rules_->hosts.size();
  hosts_.resize(count);
  values_.resize(count);
  borrowed_.resize(count - rules_->own_hosts);
  jobs_on_.resize(count);
  for (auto* column : {&tallies_->slots, &tallies_->jobs, &tallies_->exclusive, &tallies_->preempted})
    column->resize(count);
  for (auto& [resource, column] : tallies_->reserved)
    if (!column.empty()) column.resize(count);
  for (HostNumber host = before; host < count; ++host) add_host(host);
  compiler_->take_rules(*rules_);
  take_borrowed_instances(*old_rules);
  // Demands that shared a list share the new one, but for RECV_FROM.
  std::unordered_map<const HostList*, std::shared_ptr<const HostList>> serial, wide;
  std::vector<std::shared_ptr<const HostList>> old;  // keeps the addresses until all are compared
  for (DemandEntry& entry : demands_) {
    if (!entry.live || !entry.hosts) continue;
    auto& now = (parallel(entry.demand) ? wide : serial)[entry.hosts.get()];
    if (!now) {
      old.push_back(entry.hosts);
      now = compiler_->hosts_of(entry.demand, *entry.compiled);
    }
    entry.hosts = now;
  }
}

DemandNumber Snapshot::demand(const Demand& demand) {
  auto [found, added] = demand_numbers_.emplace(name_of(demand), static_cast<DemandNumber>(demands_.size()));
  if (!added) return found->second;
  if (!free_demands_.empty()) {
    found->second = free_demands_.back();
    free_demands_.pop_back();
  } else {
    demands_.emplace_back();
  }
  DemandEntry& entry = demands_[found->second];
  entry = {};
  entry.demand = demand;
  entry.serial = ++last_serial_;
  entry.compiled = compiler_->compile(demand, *tallies_);
  entry.hosts = compiler_->hosts_of(demand, *entry.compiled);
  return found->second;
}

const Demand& Snapshot::demand(DemandNumber number) const { return demands_[number].demand; }

void Snapshot::trim() {
  for (DemandNumber number = 0; number < demands_.size(); ++number) {
    DemandEntry& entry = demands_[number];
    if (!entry.live || entry.jobs > 0) continue;
    demand_numbers_.erase(name_of(entry.demand));
    entry = {};
    entry.live = false;
    free_demands_.push_back(number);
  }
  compiler_->trim();
}

void Snapshot::put(DemandNumber number, const PendingJob& job) {
  if (job.hold != Hold::none) return;
  auto& ready = demands_[number].ready;
  if (ready.empty()) waiting_.insert(number);
  ready.insert(ready.end(), {job.order, job.key, &job});
}

void Snapshot::wait(PendingJob job) {
  forget(job.key);
  const JobKey key = job.key;
  const PendingJob& kept = pending_.emplace(key, std::move(job)).first->second;
  ++demands_[kept.demand].jobs;
  put(kept.demand, kept);
}

void Snapshot::place(PlacedJob job) {
  if (pending_.contains(job.key))  // it starts now: JOB_ACCEPT_INTERVAL
    for (const SlotsOn& on : job.placement.hosts) hosts_[on.host].last_start = job.started;
  forget(job.key);
  const JobKey key = job.key;
  const PlacedJob& kept = placed_.emplace(key, std::move(job)).first->second;
  ++demands_[kept.demand].jobs;
  count(kept, 1);
}

void Snapshot::forget(JobKey key) {
  forget_pending(key);
  forget_placed(key);
}

void Snapshot::forget_pending(JobKey key) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  const PendingJob& job = found->second;
  DemandEntry& entry = demands_[job.demand];
  if (entry.ready.erase({job.order, job.key, nullptr}) > 0 && entry.ready.empty()) waiting_.erase(job.demand);
  --entry.jobs;
  pending_.erase(found);
}

void Snapshot::forget_placed(JobKey key) {
  const auto found = placed_.find(key);
  if (found == placed_.end()) return;
  count(found->second, -1);
  --demands_[found->second.demand].jobs;
  placed_.erase(found);
}

void Snapshot::count(const PlacedJob& job, int sign) {
  Tallies& tallies = *tallies_;
  const DemandEntry& entry = demands_[job.demand];
  // Its slots are those of the job that preempted it.
  const bool preempted = (job.suspended & wire::SUSPEND_PREEMPT) != 0;
  std::vector<HostNumber> hosts;
  for (const SlotsOn& on : job.placement.hosts) {
    (preempted ? tallies.preempted : tallies.slots)[on.host] += sign * on.slots;
    if (std::find(hosts.begin(), hosts.end(), on.host) == hosts.end()) hosts.push_back(on.host);
  }
  for (const HostNumber host : hosts) {
    tallies.jobs[host] += sign;
    if (job.placement.exclusive && !preempted) tallies.exclusive[host] += sign;
    if (sign > 0)
      jobs_on_[host].insert(job.key);
    else
      jobs_on_[host].erase(job.key);
  }
  for (const Charge& charge : entry.compiled->charges) {
    const LimitRule& rule = rules_->limits[charge.rule];
    if (preempted && charge.running_only) continue;
    if (!rule.per_host) tallies.taken[charge.tally] += sign * counted(rule, job, kNoHost);
    if (rule.per_host)
      for (const HostNumber host : hosts) {
        double& taken = tallies.taken_on[on_host(charge.tally, host)];
        taken += sign * counted(rule, job, host);
        if (taken <= 0) tallies.taken_on.erase(on_host(charge.tally, host));
      }
  }
  count_used(job, sign);
  if (job.suspended != 0 && sign > 0) tallies.suspended.insert(job.key);
  if (sign < 0) tallies.suspended.erase(job.key);
  if (entry.demand.array != 0) {
    int& jobs = tallies.array_jobs[entry.demand.array];
    jobs += sign;
    if (jobs == 0) tallies.array_jobs.erase(entry.demand.array);
  }
  for (const Reservation& reservation : job.placement.reservations) {
    if (ends(reservation)) {
      if (sign > 0)
        tallies.timed.insert(job.key);
      else
        tallies.timed.erase(job.key);
      continue;
    }
    const double amount = sign * held(*rules_, job, reservation, {});
    if (rules_->shared_resource(reservation.resource)) {
      if (const auto instance = rules_->instance_of(reservation.resource, reservation.host))
        tallies.reserved_shared[*instance] += amount;
      continue;
    }
    auto& column = tallies.reserved[reservation.resource];
    if (column.empty()) column.assign(rules_->hosts.size(), 0);
    // Adding and subtracting fractions may leave a small rest.
    column[reservation.host] = jobs_on_[reservation.host].empty() ? 0 : column[reservation.host] + amount;
  }
}

const PendingJob* Snapshot::pending(JobKey key) const {
  const auto found = pending_.find(key);
  return found == pending_.end() ? nullptr : &found->second;
}

const PlacedJob* Snapshot::placed(JobKey key) const {
  const auto found = placed_.find(key);
  return found == placed_.end() ? nullptr : &found->second;
}

std::string Snapshot::broken_invariant() const {
  Snapshot fresh(rules_);
  fresh.values_ = values_;
  fresh.borrowed_ = borrowed_;
  fresh.demands_ = demands_;
  fresh.tallies_->taken.assign(tallies_->taken.size(), 0);
  for (const auto& [key, job] : placed_) {
    fresh.placed_.emplace(key, job);
    fresh.count(job, 1);
  }
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  const Tallies &mine = *tallies_, &theirs = *fresh.tallies_;
  if (mine.slots != theirs.slots) return "slots taken on hosts are not those of the jobs";
  if (mine.jobs != theirs.jobs || mine.exclusive != theirs.exclusive || mine.preempted != theirs.preempted)
    return "jobs on hosts are not counted right";
  if (mine.array_jobs != theirs.array_jobs) return "jobs of arrays are not counted right";
  if (mine.suspended != theirs.suspended) return "suspended jobs are not known";
  if (mine.timed != theirs.timed) return "reservations that end are not known";
  if (!std::equal(mine.taken.begin(), mine.taken.end(), theirs.taken.begin(), near))
    return "a limit is counted wrong";
  if (!std::equal(mine.reserved_shared.begin(), mine.reserved_shared.end(), theirs.reserved_shared.begin(),
                  near))
    return "a shared resource is counted wrong";
  if (mine.taken_on.size() != theirs.taken_on.size()) return "a limit of hosts is counted wrong";
  for (const auto& [place, taken] : mine.taken_on)
    if (!theirs.taken_on.contains(place) || !near(theirs.taken_on.at(place), taken))
      return "a limit of hosts is counted wrong";
  for (const auto& [resource, column] : mine.reserved)
    for (HostNumber host = 0; host < column.size(); ++host) {
      const auto found = theirs.reserved.find(resource);
      const double held = found == theirs.reserved.end() ? 0 : found->second[host];
      if (!near(column[host], held))
        return "reserved " + rules_->indices().at(resource).name + " is counted wrong";
    }
  for (DemandNumber number = 0; number < demands_.size(); ++number)
    if (demands_[number].ready.empty() == waiting_.contains(number))
      return "a demand waits or not, and is not known so";
  return "";
}

}  // namespace rollcall::sched::cycle
