// LeaseOut, talking with the consumers: takes their answers, accepts or refuses their starts, and tells them how leases stand.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "common/io/local_time.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/host_facts.hpp"
#include "sched/mbatchd/lease_jobs.hpp"
#include "sched/mbatchd/lease_out.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/answers/lease_rows.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "sched/policy/peers/span_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
using sched::JobKey;

constexpr std::uint32_t kAgeUnknown = 4294967295U;
constexpr std::size_t kMostOver = 10'000;  // leases that are not there, told to one consumer at once

// What LIM has told of each host of ours, and the place of each index in its answer.
struct LimLoads {
  explicit LimLoads(const wire::Reply::Loads& loads) {
    for (int i = 0; i < loads.names_size(); ++i) places.emplace(loads.names(i), i);
    for (const auto& load : loads.hosts()) hosts.emplace(load.host(), &load);
  }
  std::map<std::string_view, int> places;
  std::map<std::string_view, const wire::Reply::Load*> hosts;
};

// `since`: milliseconds since LIM has answered.
std::uint32_t age_of(const wire::Reply::Load& load, int place, std::uint32_t since) {
  const std::uint32_t told = place < load.age_ms_size() ? load.age_ms(place) : kAgeUnknown;
  return told >= kAgeUnknown - 1 - since ? kAgeUnknown : told + since;
}

bool is_beyond(const wire::Reply::Load& load, int place) {
  return std::find(load.beyond().begin(), load.beyond().end(), static_cast<std::uint32_t>(place)) !=
         load.beyond().end();
}

}  // namespace

void LeaseOut::serves(const std::string& cluster) {
  peers_[cluster] = {};
  if (written_off_.erase(cluster) != 0) keep_written_off(cluster);
  handler_.turn_soon();
}

std::vector<std::string> LeaseOut::write_off(const std::string& cluster, bool only_say) {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> numbers;
  counted_.reset();  // the Book has written off its jobs
  for (const auto& [number, one] : leases_) {
    if (one.lease.consumer != cluster) continue;
    lines.push_back(line_of_written_off(one));
    numbers.push_back(number);
  }
  if (only_say || numbers.empty() || is_written_off(cluster)) return lines;
  written_off_.insert(cluster);
  keep_written_off(cluster);
  for (const std::uint64_t number : numbers) step(number, lease::event::WrittenOff{});
  return lines;
}

std::string LeaseOut::line_of_written_off(const Lease& of) const {
  const std::uint64_t number = of.lease.id.number;
  int slots = 0;
  for (const auto& [on, used] : attempts())
    if (on.first == number) slots += used.slots;
  std::string line = "Lease <" + lease::text(of.lease.id) + "> of cluster <" + of.lease.consumer + "> is " +
                     std::string(lease::text(of.lease.phase)) +
                     (is_written_off(of.lease.consumer) ? ", and is written off already" : "") +
                     ": what is taken from it is free without an answer";
  if (slots == 0) return line;
  std::ostringstream held;
  held << "; its jobs here hold " << slots << " slots";
  for (const auto& [on, amount] : held_by_attempts())
    if (on.first == number) held << ", " << amount << " of " << on.second;
  return line + held.str() + " until they end";
}

Result<void> LeaseOut::heard(const std::string& cluster, const wire::LeaseAnswer& said) {
  const auto answer = peers::believed(said);
  if (!answer) return answer.error();
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end()) return {};
  const auto found = leases_.find(answer->lease);
  if (found == leases_.end() || found->second.lease.consumer != cluster) {
    if (peer->second.over.size() < kMostOver) peer->second.over.insert(answer->lease);
    handler_.turn_soon();
    return {};
  }
  answers_[answer->lease].add({answer->acknowledged, answer->wants, {}});
  handler_.turn_soon();
  return {};
}

void LeaseOut::Answer::add(const Answer& later) {
  wants = wants || later.wants;
  if (later.newest.number >= newest.number) newest = later.newest;
  on_disk = std::max(on_disk, later.on_disk);
}

bool LeaseOut::take(std::uint64_t number, const Answer& answer) {
  const auto is_kept = [&](const lease::ProviderEvent& event) {
    return !leases_.contains(number) || step(number, event);
  };
  const lease::GrantNumber none;
  if (answer.on_disk != none && !is_kept(lease::event::OnDisk{answer.on_disk})) return false;
  if (answer.newest.number != none && !is_kept(answer.newest)) return false;
  const auto of = leases_.find(number);
  const bool asks = answer.wants && of != leases_.end() && of->second.lease.phase == lease::Phase::offered;
  return !asks || is_kept(lease::event::Asked{});
}

// Of the Book, which may have changed in this turn.
int LeaseOut::used_on(std::uint64_t number, const std::string& host) const {
  int used = 0;
  for (const JobKey key : jobs_.on_host(host))
    if (const sched::Job* job = jobs_.find(key); job && lease_on(job->record, host) == number)
      used += slots_on(job->record, host);
  return used;
}

// Why the slots cannot be taken now; none: they can.
std::optional<std::string> LeaseOut::why_not(const std::string& cluster, const wire::LentSlots& lent) const {
  const auto found = leases_.find(lent.lease());
  if (found == leases_.end() || found->second.lease.consumer != cluster) return "the lease is over";
  const lease::GrantNumber under{lent.under().term(), lent.under().counter()};
  const auto may_start = [&](int used) {
    return found->second.lease.may_start(lent.host(), lent.slots(), under, used);
  };
  // Jobs are looked at only where the grant is the newest one.
  if (!may_start(0)) return "the lease has changed";
  if (!fences_.heard(lent.host()))
    return "RES of host " + lent.host() + " has not told yet which jobs of leases it has";
  if (!may_start(used_on(lent.lease(), lent.host())))
    return "the slots of the lease on host " + lent.host() + " are in use";
  const auto number = keeper_.snapshot().rules().host(lent.host());
  if (!number || !handler_.reaches(lent.host())) return "host " + lent.host() + " is not reached";
  if (keeper_.snapshot().host(*number).closed) return "host " + lent.host() + " is closed";
  return std::nullopt;
}

// Of a part alone: why its hosts cannot take it; none: they can, or the job is no part.
std::optional<std::string> LeaseOut::why_no_part(const wire::ForwardOffer& offer) const {
  if (offer.attempt().part() != (offer.part_size() != 0)) return "the attempt is a part, or is none";
  if (offer.part_size() == 0) return std::nullopt;
  if (const auto checked = peers::check(offer.span()); !checked) return checked.error().text;
  for (const auto& on : offer.part())
    if (!handler_.place_of(on.host()))
      return "RES of host " + on.host() + " takes no part of a job on hosts of several clusters";
  return std::nullopt;
}

sched::book::ForwardedJobs::Answered LeaseOut::start(const std::string& cluster,
                                                     const wire::ForwardOffer& offer,
                                                     const wire::Submission& asked,
                                                     const sched::Identity& who, WallTime now) {
  const auto stale = [&](std::string why) -> sched::book::ForwardedJobs::Answered {
    return {{std::nullopt, sched::book::stale(offer.attempt(), std::move(why))}, {}};
  };
  const auto slots = sched::book::lent_slots_of(offer);
  if (slots.empty() || offer.attempt().lent_host() != slots.front().host())
    return stale("the attempt names another host");
  if (!peers::is_name(slots.front().queue())) return stale("the queue has a malformed name");
  if (slots.size() > static_cast<std::size_t>(peers::kMostLeasedHosts))
    return stale("the job has too many hosts");
  if (auto why = why_no_part(offer)) return stale(std::move(*why));
  std::set<std::string> hosts;
  for (const auto& on : slots) {
    if (!hosts.insert(on.host()).second) return stale("the job has a host twice");
    if (auto why = why_not(cluster, on)) return stale(std::move(*why));
  }
  if (auto why = why_no_instances(offer, slots)) return stale(std::move(*why));
  return forwards_.start_on_lent_slots(cluster, offer, asked, who, now);
}

std::optional<std::string> LeaseOut::why_no_instances(const wire::ForwardOffer& offer,
                                                      const std::vector<wire::LentSlots>& slots) const {
  if (offer.reserved().empty()) return std::nullopt;
  std::map<std::string, double> amounts;
  for (const auto& reserved : offer.reserved()) amounts[reserved.name()] += reserved.amount();
  std::map<std::uint64_t, std::vector<std::string>> hosts;  // by lease
  for (const auto& on : slots) hosts[on.lease()].push_back(on.host());
  const auto& rules = keeper_.snapshot().rules();
  const auto known = [&](const std::string& name) {
    const auto host = rules.host(name);
    return host && *host < rules.own_hosts && known_hosts_.contains(name);
  };
  const auto& held = held_by_attempts();
  for (const auto& [name, amount] : amounts) {
    std::optional<std::string> why = "the lease is over";
    for (const auto& [number, of_lease] : hosts) {
      const auto of = leases_.find(number);
      if (of != leases_.end() && why)
        why = lease::why_no_instances(of->second, name, amount, of_lease, known, held);
    }
    if (why) return why;
  }
  return std::nullopt;
}

lease::LeaseReport LeaseOut::report_of(const lease::LeftOut& out) const {
  lease::LeaseReport report;
  report.cluster = out.consumer;
  report.connected = peers_.contains(out.consumer);
  report.shared = policies_[out.policy].shared;
  report.reason = out.why;
  return report;
}

lease::LeaseReport LeaseOut::report_of(const Lease& of) const {
  const std::uint64_t number = of.lease.id.number;
  lease::LeaseReport report;
  report.id = of.lease.id;
  report.cluster = of.lease.consumer;
  report.connected = peers_.contains(of.lease.consumer);
  report.phase = of.lease.phase;
  report.number = of.lease.number;
  report.shared = of.shared();
  for (const auto& resource : of.lease.resources) {
    lease::ReportedResource& to = report.resources.emplace_back();
    to.has = resource.has;
    to.has.instances = std::max(resource.wanted, resource.has.instances);
    if (const auto used = held_by_attempts().find({number, resource.has.name});
        used != held_by_attempts().end())
      to.used = used->second;
  }
  for (const auto& lent : of.lease.hosts) {
    lease::ReportedHost& host = report.hosts.emplace_back();
    host.host = lent.has.host;
    const auto both = of.both_sides.find(lent.has.host);
    host.exported = both == of.both_sides.end() ? lent.wanted : both->second;
    host.has = lent.has;
    for (const JobKey key : jobs_.on_host(lent.has.host))
      if (const sched::Job* job = jobs_.find(key); job && lease_on(job->record, lent.has.host) == number)
        sched::answers::count(host.counts, job->status(), slots_on(job->record, lent.has.host));
  }
  if (lease::waits(of.lease)) report.reason = lease::taking_reason(of.lease, hosts_now(of, own_hosts()));
  if (!report.reason.empty()) return report;
  if (!lease::exports_slots(report)) return report;  // the last division was of slots that it had before
  if (const auto why = divisions_.find(number); why != divisions_.end()) report.reason = why->second;
  if (report.reason.empty() && report.phase != lease::Phase::offered)
    report.reason = lease::awaited_reason(remarks_of(number).awaited, of.lease.id.provider);
  return report;
}

std::vector<lease::LeaseReport> LeaseOut::reports() const {
  std::vector<lease::LeaseReport> reports;
  const auto leases = all();
  const auto of = lease::policies_of(leases, policies_);
  std::map<std::pair<std::size_t, std::string>, const lease::LeftOut*> left_out;  // by policy and consumer
  for (const auto& out : left_out_) left_out.emplace(std::pair(out.policy, out.consumer), &out);
  for (std::size_t i = 0; i < leases.size(); ++i) {
    if (leases[i]->lease.phase == lease::Phase::returned) continue;  // kept until the consumer knows
    lease::LeaseReport& report = reports.emplace_back(report_of(*leases[i]));
    // It had some before the policy was changed.
    if (of[i])
      if (const auto out = left_out.extract({*of[i], report.cluster})) report.reason = out.mapped()->why;
  }
  for (const auto& out : left_out_)
    if (left_out.contains({out.policy, out.consumer})) reports.push_back(report_of(out));
  return reports;
}

std::vector<const LeaseOut::Lease*> LeaseOut::leases_of(const std::string& cluster) const {
  auto leases = all();
  std::erase_if(leases, [&](const Lease* one) { return one->lease.consumer != cluster; });
  return leases;
}

// By jobs of ours, which have not used it yet. By the numbers of our hosts.
std::vector<double> LeaseOut::reserved_on_hosts(ResourceId id) const {
  const auto& snapshot = keeper_.snapshot();
  const auto& tallies = snapshot.tallies();
  std::vector<double> reserved;
  if (const auto found = tallies.reserved.find(id); found != tallies.reserved.end()) reserved = found->second;
  reserved.resize(snapshot.rules().hosts.size());
  const WallTime now = io::wall_now();
  for (const sched::JobKey key : tallies.timed) {
    const auto& job = *snapshot.placed(key);
    for (const auto& reservation : job.placement.reservations)
      if (sched::cycle::ends(reservation) && reservation.resource == id)
        reserved[reservation.host] += sched::cycle::held(snapshot.rules(), job, reservation, now);
  }
  return reserved;
}

std::vector<wire::PeerMessage> LeaseOut::loads_for(const std::string& cluster) const {
  std::set<std::string> names;
  for (const auto& [number, one] : leases_)
    if (one.lease.consumer == cluster)
      for (const auto& host : one.lease.hosts) names.insert(host.has.host);
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  const LimLoads lim(keeper_.news().loads());
  const auto since = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(steady_now() - load_at_).count());
  const auto of_it = lease::lent_hosts(leases_of(cluster), attempts());
  const auto reserved_mem = reserved_on_hosts(mem), reserved_swp = reserved_on_hosts(swp);
  std::vector<wire::LeaseLoads::OfHost> hosts;
  for (const std::string& name : names) {
    const auto host = rules.host(name);
    if (!host || *host >= rules.own_hosts) continue;
    const auto& state = snapshot.host(*host);
    auto& to = hosts.emplace_back();
    HostFacts facts = keeper_.facts_of(*host);
    facts.topology.clear();
    *to.mutable_facts() = wire::to_wire(facts);
    to.set_unreachable(state.unreachable);
    to.set_unavailable(state.unavailable);
    to.set_closed(state.closed);
    to.set_locked(state.locked);
    if (const auto place = handler_.place_of(name)) {
      to.mutable_addresses()->Add(place->addresses.begin(), place->addresses.end());
      to.set_port(place->port);
    }
    const auto& values = snapshot.values(*host);
    // The consumer has of it what it was exported, no more than is free there, and nothing of what others were exported or jobs reserve.
    const auto its_own = of_it.find(name);
    const auto reserved = [&](ResourceId id) { return (id == mem ? reserved_mem : reserved_swp)[*host]; };
    const auto is_free = [&](ResourceId id) {
      const auto amount = [id](const sched::LentOfHost& lent) {
        return id == mem ? lent.mem_mb : lent.swp_mb;
      };
      const double own = its_own == of_it.end() ? 0 : amount(its_own->second);
      const double others = std::max(0.0, amount(snapshot.lent(*host)) - own);
      return std::max(0.0, snapshot.told_free(*host, id) - others - reserved(id));
    };
    const auto said = lim.hosts.find(name);
    if (said != lim.hosts.end()) *to.mutable_status() = said->second->status();
    for (ResourceId id = 0; id < rules.indices().size() && id < values.numbers.size(); ++id) {
      const auto& definition = rules.indices().at(id);
      if (!definition.dynamic() || rules.shared_resource(id) || definition.type != ResourceType::numeric ||
          std::isnan(values.numbers[id]))
        continue;
      to.add_names(definition.name);
      to.add_values(static_cast<float>(id == mem || id == swp ? is_free(id) : values.numbers[id]));
      const auto place = lim.places.find(definition.name);
      const bool known = said != lim.hosts.end() && place != lim.places.end();
      to.add_age_ms(known ? age_of(*said->second, place->second, since) : kAgeUnknown);
      if (known && is_beyond(*said->second, place->second))
        to.add_beyond(static_cast<std::uint32_t>(to.names_size() - 1));
    }
  }
  return peers::loads_of(std::move(hosts));
}

std::vector<wire::PeerMessage> LeaseOut::due_for(const std::string& cluster, Peer& peer) const {
  std::vector<wire::PeerMessage> due;
  const bool greets = std::exchange(peer.greets, false);
  wire::PeerMessage told;
  told.mutable_leases_told();
  for (const auto& [number, one] : leases_) {
    if (one.lease.consumer != cluster) continue;
    if (greets || peer.stands.contains(number))
      due.push_back(peers::stands_of(one.lease, remarks_of(number)));
    told.mutable_leases_told()->add_leases(number);
  }
  peer.stands.clear();
  const bool any = told.leases_told().leases_size() != 0;
  if (greets) due.push_back(std::move(told));
  if (std::exchange(peer.loads, false) && any)
    for (auto& message : loads_for(cluster)) due.push_back(std::move(message));
  for (const std::uint64_t lease : std::exchange(peer.over, {})) due.push_back(peers::lease_over(lease));
  return due;
}

}  // namespace rollcall::mbatchd
