// LeaseOut: what is exported: hosts of ours as the policies see them, and what the jobs of consumers use of them.
#include <algorithm>
#include <cmath>

#include "common/io/local_time.hpp"
#include "sched/mbatchd/lease_jobs.hpp"
#include "sched/mbatchd/lease_out.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
using lease::ExportPolicy;
using sched::HostNumber;
using sched::JobKey;

constexpr int kTermShift = 24;  // a lease's number: the store's term, then a counter of it

// A host of ours as RES_SELECT sees it.
class HostToExport final : public resreq::HostView {
 public:
  HostToExport(const sched::cycle::Snapshot& snapshot, HostNumber host)
      : snapshot_(snapshot), host_(host), values_(snapshot.values(host)) {}
  double number(ResourceId id) const override {
    if (const auto instance = shared(id)) return snapshot_.shared_told(*instance);
    return id < values_.numbers.size() ? values_.numbers[id] : std::nan("");
  }
  std::string_view word(ResourceId id) const override {
    if (const auto instance = shared(id)) return snapshot_.shared_word(*instance);
    return id < values_.words.size() ? std::string_view(values_.words[id]) : std::string_view();
  }
  bool has(ResourceId id) const override {
    const auto type = snapshot_.rules().indices().at(id).type;
    if (type == ResourceType::boolean) return id < values_.has.size() && values_.has[id];
    return type == ResourceType::string ? !word(id).empty() : !std::isnan(number(id));
  }

 private:
  std::optional<std::uint32_t> shared(ResourceId id) const {
    const auto& rules = snapshot_.rules();
    return rules.shared_resource(id) ? rules.instance_of(id, host_) : std::nullopt;
  }

  const sched::cycle::Snapshot& snapshot_;
  const HostNumber host_;
  const sched::cycle::HostValues& values_;
};

// Memory and swap in KB.
std::pair<std::int64_t, std::int64_t> memory_on(const wire::JobRecord& record, const std::string& host) {
  if (record.hosts_size() == 1) return {record.usage().memory_kb(), record.usage().swap_kb()};
  for (const auto& of : record.usage().hosts())
    if (of.host() == host) return {of.memory_kb(), of.swap_kb()};
  return {0, 0};
}

}  // namespace

std::vector<lease::LeasedHost> LeaseOut::exported_by(const Lease& of, const lease::Offer& offer) const {
  return of.shared() ? lease::divided_hosts(of, offer.hosts, own_hosts(offer.hosts), attempts())
                     : offer.hosts;
}

std::vector<lease::ExportHost> LeaseOut::export_hosts() const {
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  std::map<std::string, int> exported;  // whole hosts
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) {
      if (one.names_hosts() || (lent.wanted == 0 && (!one.shared() || lent.kills))) continue;
      const auto both = one.both_sides.find(lent.has.host);
      const int slots = both != one.both_sides.end() ? both->second : std::max(lent.wanted, lent.has.slots);
      if (slots > 0) exported[lent.has.host] = slots;
    }
  std::vector<lease::ExportHost> hosts;
  for (HostNumber host = 0; host < rules.own_hosts; ++host) {
    const auto& values = snapshot.values(host);
    const auto& state = snapshot.host(host);
    const std::string& name = rules.hosts[host].text();
    const auto before = exported.find(name);
    // mbatchd was started, and RES of the host has not connected yet: what a policy that has changed exports again stays the consumer's.
    const bool awaited = before != exported.end() && !known_hosts_.contains(name);
    const bool up = !state.unavailable && (!state.unreachable || awaited);
    // The CPUs of a host that is down may be unknown: what was exported of it stays.
    const int slots = !up && before != exported.end() ? before->second : sched::cycle::own_slots(values);
    hosts.push_back({name, keeper_.facts_of(host).type, slots, up, nullptr, state.closed});
  }
  return hosts;
}

// The hosts of all leases, and `more`.
std::map<std::string, lease::OwnHost> LeaseOut::own_hosts(const std::vector<lease::LeasedHost>& more) const {
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  std::map<std::string, lease::OwnHost> own;
  const auto add = [&](const std::string& name) {
    if (const auto host = rules.host(name); host && *host < rules.own_hosts)
      own[name] = {.slots = sched::cycle::own_slots(snapshot.values(*host)),
                   .used = snapshot.tallies().slots[*host],
                   .heard = fences_.heard(name),
                   .known = known_hosts_.contains(name),
                   .preempted = snapshot.tallies().preempted[*host]};
  };
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) add(lent.has.host);
  for (const auto& host : more) add(host.host);
  return own;
}

const LeaseOut::Counted& LeaseOut::counted() const {
  if (counted_) return *counted_;
  ++counts_;
  counted_.emplace();
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts)
      for (const JobKey key : jobs_.on_host(lent.has.host))
        if (!counted_->jobs.contains(key)) count(key, *counted_);
  return *counted_;
}

void LeaseOut::touched(const std::set<JobKey>& jobs) {
  if (!counted_) return;
  Used& all = counted_->all;
  for (const JobKey key : jobs) {
    if (const auto before = counted_->jobs.extract(key)) {
      for (const auto& [on, used] : before.mapped().attempts) {
        auto& there = all.attempts[on];
        there.slots -= used.slots;
        there.mem_mb -= used.mem_mb;
        there.swp_mb -= used.swp_mb;
      }
      for (const auto& [of, amount] : before.mapped().held)
        if ((all.held[of] -= amount) < lease::kDust) all.held.erase(of);
    }
    count(key, *counted_);
  }
}

void LeaseOut::count(JobKey key, Counted& counted) const {
  const sched::Job* job = jobs_.find(key);
  if (!job || !sched::on_lent_slots(job->record)) return;
  Used used = used_by(*job);
  if (used.attempts.empty()) return;
  for (const auto& [on, more] : used.attempts) {
    auto& there = counted.all.attempts[on];
    there.slots += more.slots;
    there.mem_mb += more.mem_mb;
    there.swp_mb += more.swp_mb;
  }
  for (const auto& [of, amount] : used.held) counted.all.held[of] += amount;
  counted.jobs.emplace(key, std::move(used));
}

LeaseOut::Used LeaseOut::used_by(const sched::Job& job) const {
  Used used;
  std::set<std::uint64_t> leases;
  for (const auto& on : job.record.hosts()) {
    if (!jobs_.on_host(on.name()).contains(job.key())) continue;
    const std::uint64_t number = lease_on(job.record, on.name());
    const auto [memory_kb, swap_kb] = memory_on(job.record, on.name());
    auto& there = used.attempts[{number, on.name()}];
    there.slots += static_cast<int>(on.slots());
    there.mem_mb += static_cast<double>(memory_kb) / 1024;
    there.swp_mb += static_cast<double>(swap_kb) / 1024;
    const auto of = leases_.find(number);
    if (of == leases_.end() || of->second.lease.resources.empty() || !leases.insert(number).second) continue;
    for (const auto& reserved : job.record.from().reserved())
      used.held[{number, reserved.name()}] += reserved.amount();
  }
  return used;
}

std::vector<lease::ResourceInstance> LeaseOut::instances() const {
  std::vector<lease::ResourceInstance> instances;
  if (configuration_->files.lsb->resources.resource_exports.empty() &&
      std::all_of(leases_.begin(), leases_.end(),
                  [](const auto& one) { return one.second.lease.resources.empty(); }))
    return instances;
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  std::vector<double> own = snapshot.tallies().reserved_shared;
  const WallTime now = io::wall_now();
  for (const JobKey key : snapshot.tallies().timed) {
    const auto& job = *snapshot.placed(key);
    for (const auto& reservation : job.placement.reservations)
      if (sched::cycle::ends(reservation) && rules.shared_resource(reservation.resource))
        if (const auto place = rules.instance_of(reservation.resource, reservation.host))
          own[*place] += sched::cycle::held(rules, job, reservation, now);
  }
  for (std::uint32_t place = 0; place < rules.own_shared; ++place) {
    const auto& definition = rules.indices().at(rules.shared[place].resource);
    if (definition.type != ResourceType::numeric) continue;
    lease::ResourceInstance& to = instances.emplace_back();
    to.resource = definition.name;
    for (const HostNumber host : rules.shared[place].hosts) to.hosts.push_back(rules.hosts[host].text());
    to.dynamic = definition.dynamic();
    const double told = snapshot.shared_told(place);
    to.there = std::isnan(told) ? 0 : told;
    to.own = own[place];
    to.place = place;
  }
  return instances;
}

// Not before LIM has told of the hosts: their CPUs and types are unknown until then.
void LeaseOut::export_all() {
  if ((policies_.empty() && leases_.empty()) || !keeper_.load_known()) return;
  const auto leases = all();
  const auto of = lease::policies_of(leases, policies_);
  std::vector<lease::ChosenBefore> before(policies_.size());
  for (std::size_t i = 0; i < leases.size(); ++i) {
    if (!of[i] || leases[i]->names_hosts()) continue;
    auto& chosen = before[*of[i]];
    chosen.same_policy = chosen.same_policy && leases[i]->terms == lease::policy_terms(policies_[*of[i]]);
    for (const auto& host : leases[i]->lease.hosts) {
      if (host.wanted == 0 && (!leases[i]->shared() || host.kills)) continue;
      lease::ChosenHost was{host.has.host, leases[i]->lease.consumer, {}};
      for (const JobKey key : jobs_.on_host(host.has.host))
        if (const sched::Job* job = jobs_.find(key);
            job && lease_on(job->record, host.has.host) == leases[i]->lease.id.number)
          was.last_start = std::max(was.last_start, WallTime{job->record.start_us()});
      chosen.hosts.push_back(std::move(was));
    }
  }
  auto hosts = export_hosts();
  const auto& snapshot = keeper_.snapshot();
  std::vector<HostToExport> views;
  views.reserve(hosts.size());
  for (HostNumber host = 0; host < hosts.size(); ++host) {
    views.emplace_back(snapshot, host);
    hosts[host].view = &views.back();
  }
  const auto offers =
      lease::offers(policies_, hosts, before, snapshot.rules().indices(), lease::held_memory(leases, of));
  const auto own_instances = instances();
  const auto resources = lease::offered_resources(
      configuration_->files.lsb->resources.resource_exports, configuration_->files.cluster->settings.cluster,
      offers, own_instances, lease::held_instances(leases, of, own_instances));
  const auto resources_of = [&](const lease::Offer& offer) -> const auto& {
    return resources[static_cast<std::size_t>(&offer - offers.data())];
  };
  std::vector<std::pair<std::uint64_t, std::optional<std::size_t>>> known;
  for (std::size_t i = 0; i < leases.size(); ++i) known.emplace_back(leases[i]->lease.id.number, of[i]);
  for (const auto& [number, policy] : known) {
    const auto offer =
        std::find_if(offers.begin(), offers.end(), [&, number = number, policy = policy](const auto& one) {
          return policy && one.policy == *policy && one.consumer == leases_.at(number).lease.consumer;
        });
    const bool untaken = leases_.at(number).lease.phase == lease::Phase::offered;
    if (offer == offers.end() || (untaken && offer->hosts.empty())) {
      if (!leases_.at(number).lease.withdrawn) step(number, lease::event::Exported{{}, {}, true});
      continue;
    }
    const auto last = exported_.find(number);
    const bool same = leases_.at(number).terms == lease::policy_terms(policies_[offer->policy]);
    if (!same || last == exported_.end() || last->second != LastOffer{offer->hosts, resources_of(*offer)})
      export_to(number, *offer, resources_of(*offer));
  }
  left_out_ = lease::left_out(policies_, offers);
  for (const auto& offer : offers) {
    const bool there = std::any_of(known.begin(), known.end(), [&](const auto& one) {
      return one.second == offer.policy && leases_.contains(one.first) &&
             leases_.at(one.first).lease.consumer == offer.consumer;
    });
    if (!there && !offer.hosts.empty()) make_lease(offer, resources_of(offer));
  }
  take_from_own_hosts();
  advance_due_ = true;  // slots may be free for what is exported now
}

void LeaseOut::make_lease(const lease::Offer& offer, const std::vector<lease::LeasedResource>& resources) {
  Lease made;
  made.lease.id = {configuration_->files.cluster->settings.cluster, (store_.term() << kTermShift) + ++made_};
  made.lease.consumer = offer.consumer;
  const std::uint64_t number = made.lease.id.number;
  leases_[number] = std::move(made);
  if (!export_to(number, offer, resources)) return leases_.erase(number), void(unwritten_.erase(number));
  log_.notice("lease " + lease::text(leases_.at(number).lease.id) + ": " +
              policies_[offer.policy].place.text() + " exports " + std::to_string(offer.hosts.size()) +
              " hosts to cluster " + offer.consumer);
  if (const auto peer = peers_.find(offer.consumer); peer != peers_.end()) {
    peer->second.stands.insert(number);
    peer->second.loads = true;
    handler_.turn_soon();
  }
}

bool LeaseOut::export_to(std::uint64_t number, const lease::Offer& offer,
                         const std::vector<lease::LeasedResource>& resources) {
  Lease& of = leases_.at(number);
  const Lease before = of;
  const auto last = exported_.find(number);
  const bool only_resources = last != exported_.end() && last->second.hosts == offer.hosts &&
                              of.terms == lease::policy_terms(policies_[offer.policy]);
  of.policy = lease::policy_name(policies_[offer.policy]);
  of.terms = lease::policy_terms(policies_[offer.policy]);
  of.both_sides.clear();
  if (of.shared())
    for (const auto& host : offer.hosts) of.both_sides[host.host] = host.slots;
  // The row is to be written, whatever the step changes. A value that an elim reports changes often, and no row with it.
  if (!only_resources) exported_.erase(number), unwritten_.insert(number);
  if (!step(number, lease::event::Exported{exported_by(of, offer), resources, false})) {
    leases_.at(number) = before;
    return false;
  }
  if (leases_.at(number).terms != before.terms) divisions_.erase(number);  // it was of another policy's slots
  exported_[number] = {offer.hosts, resources};
  return true;
}

}  // namespace rollcall::mbatchd
