#include "sched/policy/answers/snapshot_keeper.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "common/wire/host_facts.hpp"

namespace rollcall::sched::answers {
namespace {

// After so many new demands, trim() drops those without jobs.
constexpr std::size_t kTrimAfter = 10'000;
constexpr std::size_t kPackAfter = 1000;
constexpr std::size_t kManyReturned = 10'000;
constexpr std::size_t kMostNumbers =
    4 * kManyReturned;  // of other clusters' hosts, or four times as many as are lent
constexpr std::chrono::seconds kBetweenForgetting{30};

std::string demand_name(const Job& job) {
  return std::to_string(job.record.submission()) + ' ' + job.record.queue();
}

// The numbers of the indices that a reply names, in its order; the table's size stands for an unknown index.
std::vector<ResourceId> ids_of(const IndexTable& table, const wire::Reply::Loads& loads) {
  std::vector<ResourceId> ids;
  for (const auto& name : loads.names()) ids.push_back(table.find(name).value_or(table.size()));
  return ids;
}

LoadVector vector_of(const IndexTable& table, const std::vector<ResourceId>& ids,
                     const wire::Reply::Load& load) {
  LoadVector values(table.size());
  for (int i = 0; i < load.values_size() && i < static_cast<int>(ids.size()); ++i)
    if (ids[static_cast<std::size_t>(i)] < table.size())
      values[ids[static_cast<std::size_t>(i)]].number = load.values(i);
  for (const auto& word : load.words())
    if (word.index() < ids.size() && ids[word.index()] < table.size())
      values[ids[word.index()]].word = word.value();
  return values;
}

}  // namespace

void SnapshotKeeper::configure(std::shared_ptr<const cycle::PlacementRules> rules) {
  ++times_anew_;
  rules_ = std::move(rules);
  if (!borrowed_.empty()) rules_ = cycle::with_borrowed(*rules_, borrowed_ids(), borrowed_instances_);
  snapshot_ = std::make_unique<cycle::Snapshot>(rules_);
  demands_.clear();
  held_.clear();
  held_jobs_.clear();
  facts_.assign(rules_->hosts.size(), std::nullopt);
  for (HostNumber number = 0; number < rules_->hosts.size(); ++number) {
    const HostId& host = rules_->hosts[number];
    snapshot_->host(number).closed = !jobs_.host_control(host.text()).open;
    snapshot_->host(number).unreachable = connected_.count(host) == 0;
  }
  for (cycle::QueueNumber number = 0; number < rules_->queues.size(); ++number) {
    const auto control = jobs_.queue_control(rules_->queues[number].name);
    snapshot_->queue(number) = {control.open, control.active};
  }
  if (load_known_) take_load();
  for (const HostOnLease& host : borrowed_) take_borrowed(host);
  take_borrowed_instances();
  for (const auto& [host, lent] : lent_)
    if (const auto number = rules_->host(host)) snapshot_->set_lent(*number, lent);
  snapshot_->set_shared_lent(lent_instances_);
  std::size_t looked_at = 0;
  for (const auto status : {wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_RUN, wire::STATUS_SSUSP,
                            wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
    for (const JobKey key : jobs_.with_status(status)) {
      job(key);
      if (++looked_at % kPackAfter == 0) jobs_.pack();
    }
}

void SnapshotKeeper::job(JobKey key) {
  no_longer_held(key);
  const Job* found = jobs_.find(key);
  if (found != nullptr && !finished(found->status())) return set_job(*found);
  snapshot_->forget(key);
  // Not for an element: other elements of the array still use the entry.
  if (found != nullptr && key.index == 0) demands_.erase(demand_name(*found));
}

void SnapshotKeeper::set_job(const Job& job) {
  // Another cluster's cycle counts it: its slots are not ours while they are lent.
  if (on_lent_slots(job.record)) return snapshot_->forget(job.key());
  const auto& [demand, times, preemption] = demand_for(job);
  if (placed(job.status()))
    return snapshot_->place(cycle::placed_of(*rules_, job, demand, times, preemption));
  const cycle::Hold hold = hold_of(job);
  if (hold == cycle::Hold::dependency) {
    held_[job.record.submission()].insert(job.key());
    held_jobs_[job.key()] = job.record.submission();
  }
  snapshot_->wait(cycle::pending_of(*rules_, job, demand, hold, times, preemption));
}

void SnapshotKeeper::no_longer_held(JobKey key) {
  const auto job = held_jobs_.find(key);
  if (job == held_jobs_.end()) return;
  const auto submission = held_.find(job->second);
  submission->second.erase(key);
  if (submission->second.empty()) held_.erase(submission);
  held_jobs_.erase(job);
}

std::string SnapshotKeeper::type_of(const std::string& host) const {
  const auto found = kinds_.find(host);
  return found == kinds_.end() ? std::string() : found->second.type;
}

const SnapshotKeeper::Asked& SnapshotKeeper::demand_for(const Job& job) {
  if (demands_.size() > kTrimAfter) {
    snapshot_->trim();
    demands_.clear();
  }
  const auto [place, is_new] = demands_.try_emplace(demand_name(job));
  if (is_new) {
    cycle::Demand demand = cycle::demand_of(job, jobs_.combined_resreq(job));
    // For type==local: LIM knows the type and model of the submission host.
    if (const auto from = kinds_.find(job.asked->from_host()); from != kinds_.end()) {
      if (demand.from_type.empty()) demand.from_type = from->second.type;
      if (demand.from_model.empty()) demand.from_model = from->second.model;
    }
    place->second = {snapshot_->demand(demand), cycle::times_of(job, jobs_.effective_limits(job)),
                     jobs_.preemption_limits(job)};
  }
  return place->second;
}

cycle::Hold SnapshotKeeper::hold_of(const Job& job) const {
  if (job.status() == wire::STATUS_PSUSP)
    return job.record.stopped_by_admin() ? cycle::Hold::stopped_by_administrator : cycle::Hold::stopped;
  switch (jobs_.dependency_state(job)) {
    case jobs::DependencyState::not_yet:
      return cycle::Hold::dependency;
    case jobs::DependencyState::never:
      return cycle::Hold::never;
    default:
      return job.record.paused_until_us() != 0 ? cycle::Hold::paused : cycle::Hold::none;
  }
}

void SnapshotKeeper::dependencies(const book::DependencyChanges& changes) {
  std::vector<JobKey> changed(changes.elements.begin(), changes.elements.end());
  for (const std::uint64_t number : changes.submissions)
    if (const auto held = held_.find(number); held != held_.end())
      changed.insert(changed.end(), held->second.begin(), held->second.end());
  for (const JobKey key : changed)
    if (held_jobs_.count(key) != 0) job(key);
}

void SnapshotKeeper::control(const wire::ControlState& state) {
  if (state.host()) {
    if (const auto number = rules_->host(state.name())) snapshot_->host(*number).closed = state.closed();
  } else if (const auto number = rules_->queue(state.name())) {
    snapshot_->queue(*number) = {!state.closed(), !state.inactive()};
  }
}

void SnapshotKeeper::connected(const std::string& host, bool connected) {
  if (connected)
    connected_.insert(HostId(host));
  else
    connected_.erase(HostId(host));
  if (const auto number = rules_->host(host)) snapshot_->host(*number).unreachable = !connected;
}

void SnapshotKeeper::load(LoadNews news) {
  news_ = std::move(news);
  load_known_ = true;
  std::map<std::string, HostKind> kinds;
  for (const auto& facts : news_.hosts().hosts()) kinds[facts.name()] = {facts.type(), facts.model()};
  if (std::exchange(kinds_, kinds) != kinds)
    return configure(rules_);  // "type==local" of jobs from these hosts has changed
  take_load();
}

std::unordered_map<HostId, double> SnapshotKeeper::cpu_factors() const {
  std::unordered_map<HostId, double> factors;
  for (HostNumber number = 0; number < rules_->hosts.size(); ++number)
    if (const double factor = snapshot_->values(number).cpu_factor; factor > 0)
      factors.emplace(rules_->hosts[number], factor);
  return factors;
}

void SnapshotKeeper::lend(std::map<std::string, LentOfHost> hosts, std::vector<double> instances) {
  lent_instances_ = std::move(instances);
  snapshot_->set_shared_lent(lent_instances_);
  const auto before = std::exchange(lent_, std::move(hosts));
  for (const auto& [host, lent] : before)
    if (const auto number = rules_->host(host); number && !lent_.contains(host))
      snapshot_->set_lent(*number, {});
  for (const auto& [host, lent] : lent_)
    if (const auto number = rules_->host(host)) snapshot_->set_lent(*number, lent);
}

HostFacts SnapshotKeeper::facts_of(HostNumber host) const {
  const auto& facts = facts_[host];
  return facts ? *facts : rules_->cluster->facts(rules_->hosts[host].text());
}

void SnapshotKeeper::load_lost() {
  load_known_ = false;
  for (HostNumber number = 0; number < rules_->own_hosts; ++number)
    snapshot_->host(number).unavailable = true;
}

std::vector<HostId> SnapshotKeeper::borrowed_ids() const {
  std::vector<HostId> ids;
  for (const HostOnLease& host : borrowed_) ids.push_back(host.id);
  return ids;
}

std::vector<std::string> SnapshotKeeper::borrow(std::vector<HostOnLease> hosts,
                                                std::vector<InstancesOnLease> instances) {
  // With as many names, others wait until those of returned hosts are forgotten.
  const std::size_t room = std::max(kMostNumbers, 4 * hosts.size());
  std::size_t names = rules_->hosts.size() - rules_->own_hosts;
  std::erase_if(hosts, [&](const HostOnLease& host) { return !rules_->host(host.id) && names++ >= room; });
  borrowed_ = std::move(hosts);
  const auto place_of = [](const InstancesOnLease& one) { return std::pair(one.resource, one.hosts); };
  const bool same_instances =
      std::equal(instances.begin(), instances.end(), borrowed_instances_.begin(), borrowed_instances_.end(),
                 [&](const auto& a, const auto& b) { return place_of(a) == place_of(b); });
  borrowed_instances_ = std::move(instances);
  const auto there = [this](const HostOnLease& host) {
    const auto number = rules_->host(host.id);
    return number && !rules_->has_returned(*number);
  };
  std::size_t known = 0;
  for (HostNumber number = rules_->own_hosts; number < rules_->hosts.size(); ++number)
    if (!rules_->has_returned(number)) ++known;
  const bool same =
      same_instances && known == borrowed_.size() && std::all_of(borrowed_.begin(), borrowed_.end(), there);
  if (!same) {
    std::vector<HostId> came;  // that had no number
    for (const HostOnLease& host : borrowed_)
      if (!rules_->host(host.id)) came.push_back(host.id);
    rules_ = cycle::with_borrowed(*rules_, borrowed_ids(), borrowed_instances_);
    snapshot_->take_rules(rules_);
    facts_.resize(rules_->hosts.size());
    // Jobs that were there before the lease was known, after a restart.
    for (const HostId& host : came)
      for (const JobKey key : jobs_.on_host(host.text())) job(key);
  }
  std::set<std::string> unknown;
  const auto note = [&](const std::string& name) {
    if (!rules_->indices().find(name)) unknown.insert(name);
  };
  take_borrowed_instances();
  std::set<std::string> looked;
  for (const InstancesOnLease& one : borrowed_instances_)
    if (looked.insert(one.resource).second && !cycle::may_be_borrowed(*rules_->cluster, one.resource))
      unknown.insert(one.resource);
  for (const HostOnLease& host : borrowed_) {
    take_borrowed(host);
    for (const std::string& name : host.facts.booleans) note(name);
    for (const auto& [name, value] : host.facts.values) note(name);
    for (const auto& [name, value] : host.numbers) note(name);
    for (const auto& [name, value] : host.words) note(name);
  }
  return {unknown.begin(), unknown.end()};
}

bool SnapshotKeeper::forgets_returned(std::chrono::steady_clock::time_point now) {
  const std::size_t all = rules_->hosts.size() - rules_->own_hosts;
  if (all <= kManyReturned || all <= 2 * borrowed_.size() || now < next_forgetting_) return false;
  next_forgetting_ = now + kBetweenForgetting;
  return true;
}

void SnapshotKeeper::take_borrowed_instances() {
  for (const InstancesOnLease& one : borrowed_instances_) {
    const auto id = rules_->indices().find(one.resource);
    for (const HostId& host : one.hosts)
      if (const auto number = rules_->host(host); id && number)
        if (const auto instance = rules_->instance_of(*id, *number);
            instance && *instance >= rules_->own_shared)
          snapshot_->set_shared(*instance, one.instances, std::to_string(one.instances));
  }
}

void SnapshotKeeper::take_borrowed(const HostOnLease& told) {
  const HostNumber number = *rules_->host(told.id);
  if (facts_[number] != told.facts) {
    snapshot_->set_facts(number, told.facts);
    facts_[number] = told.facts;
  }
  LoadVector load(rules_->indices().size());
  for (const auto& [name, value] : told.numbers)
    if (const auto id = rules_->indices().find(name)) load[*id].number = value;
  for (const auto& [name, value] : told.words)
    if (const auto id = rules_->indices().find(name)) load[*id].word = value;
  snapshot_->set_load(number, load);
  snapshot_->set_share(number, told.share);
  cycle::HostState& state = snapshot_->host(number);
  state.unreachable = told.unreachable;
  state.unavailable = told.unavailable;
  state.closed = !jobs_.host_control(told.id.text()).open;
  state.closed_by_provider = told.closed;
  state.lease_inactive = told.inactive;
}

void SnapshotKeeper::take_load() {
  const IndexTable& table = rules_->indices();
  for (const auto& said : news_.hosts().hosts()) {
    const auto number = rules_->host(said.name());
    if (!number) continue;
    HostFacts facts = wire::from_wire(said);
    if (facts_[*number] == facts) continue;  // set_facts() is costly, and facts seldom change
    snapshot_->set_facts(*number, facts);
    facts_[*number] = std::move(facts);
  }

  const auto ids = ids_of(table, news_.loads());
  for (const auto& load : news_.loads().hosts()) {
    const auto number = rules_->host(load.host());
    if (!number) continue;
    auto& host = snapshot_->host(*number);
    const auto& status = load.status();
    host.unavailable = status.unavailable();
    host.locked = status.locked_by_administrator() || status.locked_by_window() || status.locked_by_master();
    const LoadVector values = vector_of(table, ids, load);
    if (load.normalised_size() == 3)
      snapshot_->set_load(*number, values, {load.normalised(0), load.normalised(1), load.normalised(2)});
    else
      snapshot_->set_load(*number, values);
  }
  for (const auto& shared : news_.shareds().shareds()) {
    const auto resource = table.find(shared.resource());
    if (!resource) continue;
    std::optional<HostNumber> host;
    for (const auto& name : shared.hosts())
      if (!host) host = rules_->host(name);
    if (shared.all() && !rules_->hosts.empty()) host = 0;
    const auto instance = host ? rules_->instance_of(*resource, *host) : std::nullopt;
    if (!instance) continue;
    char* end = nullptr;
    const std::string value = shared.value();
    const double number = std::strtod(value.c_str(), &end);
    const bool is_number = !value.empty() && *end == '\0';
    snapshot_->set_shared(*instance, is_number ? number : std::numeric_limits<double>::quiet_NaN(),
                          value == "-" ? "" : value);
  }
}

}  // namespace rollcall::sched::answers
