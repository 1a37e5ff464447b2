#include "sched/mbatchd/lease_out.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/host_list.hpp"
#include "common/io/local_time.hpp"
#include "common/wire/host_facts.hpp"
#include "sched/policy/answers/lease_rows.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "sched/policy/peers/span_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
using lease::ExportPolicy;
using sched::HostNumber;
using sched::JobKey;

constexpr const char* kLeaseRow = "lease";
constexpr Duration kShortestReclaim = std::chrono::seconds(5);  // MC_RECLAIM_DELAY=0
constexpr Duration kAskAgain = std::chrono::seconds(5);  // a host with jobs that the Book does not know
constexpr int kTermShift = 24;  // a lease's number: the store's term, then a counter of it

// A host of ours as RES_SELECT sees it.
class HostToExport final : public resreq::HostView {
 public:
  HostToExport(const IndexTable& indices, const sched::cycle::HostValues& values)
      : indices_(indices), values_(values) {}
  double number(ResourceId id) const override {
    return id < values_.numbers.size() ? values_.numbers[id] : std::nan("");
  }
  std::string_view word(ResourceId id) const override {
    return id < values_.words.size() ? std::string_view(values_.words[id]) : std::string_view();
  }
  bool has(ResourceId id) const override {
    const auto type = indices_.at(id).type;
    if (type == ResourceType::boolean) return id < values_.has.size() && values_.has[id];
    return type == ResourceType::string ? !word(id).empty() : !std::isnan(number(id));
  }

 private:
  const IndexTable& indices_;
  const sched::cycle::HostValues& values_;
};

int slots_on(const wire::JobRecord& record, const std::string& host) {
  for (const auto& on : record.hosts())
    if (on.name() == host) return static_cast<int>(on.slots());
  return 0;
}

// Memory and swap in KB.
std::pair<std::int64_t, std::int64_t> memory_on(const wire::JobRecord& record, const std::string& host) {
  if (record.hosts_size() == 1) return {record.usage().memory_kb(), record.usage().swap_kb()};
  for (const auto& of : record.usage().hosts())
    if (of.host() == host) return {of.memory_kb(), of.swap_kb()};
  return {0, 0};
}

// MXJ, its CPUs where MXJ is not given.
int own_slots(const sched::cycle::HostValues& values) {
  if (values.row == nullptr || values.row->slots_of_cpus) return values.cpus;
  return values.row->slots.value_or(values.cpus);
}

}  // namespace

bool LeaseOut::load(const io::StoredControl& row) {
  if (row.kind != kLeaseRow) return false;
  wire::LeaseRow read;
  if (!read.ParseFromString(row.value)) return true;
  if (auto known = peers::lease_of(read, {})) leases_[known->lease.id.number] = std::move(*known);
  return true;
}

void LeaseOut::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  const auto& files = configuration_->files;
  const std::string& own = files.cluster->settings.cluster;
  for (auto& [number, one] : leases_) one.lease.id.provider = own;
  policies_ = lease::export_policies(files.lsb->resources.host_exports, own, [&](std::string_view name) {
    return files.cluster->names.official(name);
  });
  next_reclaim_.reset();
  export_due_ = true;
  take_from_own_hosts();
}

// ---------------------------------------------------------------- hosts of ours

void LeaseOut::host_came(const std::string& host) {
  export_due_ = advance_due_ = true;
  for (auto& [cluster, peer] : peers_) peer.loads = true;  // where the host is reached
  // At once: the orders that follow are under these grants.
  const auto all = leases_by_host();
  const auto here = all.find(host);
  fences_.came(host, here == all.end() ? lease::GrantNumbers{} : here->second);
}

void LeaseOut::held(const std::string& host, const lease::GrantsOnHost& answer) {
  const auto knows = [&](const sched::Attempt& attempt) {
    const sched::Job* job = jobs_.find(attempt.job);
    return job && sched::placed(job->status()) && job->record.attempt() == attempt.number &&
           std::any_of(job->record.hosts().begin(), job->record.hosts().end(),
                       [&](const auto& on) { return on.name() == host; });
  };
  if (!fences_.answered(host, answer, knows)) return;
  if (!fences_.heard(host))
    log_.warning("RES of " + host + ": " +
                 (answer.why_not.empty() ? "it has jobs on lent slots that are not known here: they are ended"
                                         : printable(answer.why_not)));
  std::vector<std::pair<std::uint64_t, lease::GrantNumber>> larger;
  for (const auto& [of, number] : answer.newest)
    if (const auto found = leases_.find(of); found != leases_.end() && number > found->second.lease.number)
      larger.emplace_back(of, number);
  for (const auto& [number, there] : larger) step(number, lease::event::OnDisk{there});
  advance_due_ = ask_due_ = true;
  handler_.turn_soon();
}

lease::GrantNumbers LeaseOut::grants_of(const std::string&, const sched::Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || !sched::on_lent_slots(job->record)) return {};
  // Of a lease that is over RES takes no start.
  const std::uint64_t number = job->record.from().lease();
  const auto of = leases_.find(number);
  return {{number, of == leases_.end() ? lease::GrantNumber{} : of->second.lease.number}};
}

LeaseFences::ByHost LeaseOut::leases_by_host() const {
  LeaseFences::ByHost by_host;
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) by_host[lent.has.host][number] = one.lease.number;
  return by_host;
}

void LeaseOut::load_came() {
  export_due_ = true;
  for (auto& [cluster, peer] : peers_) peer.loads = true;
}

// ---------------------------------------------------------------- shared leases

std::optional<TimePoint> LeaseOut::next_tick() const {
  if (!next_ask_ || !next_reclaim_) return next_ask_ ? next_ask_ : next_reclaim_;
  return std::min(*next_ask_, *next_reclaim_);
}

void LeaseOut::tick(TimePoint now) {
  if (!fences_.asks_again())
    next_ask_.reset();
  else if (!next_ask_)
    next_ask_ = now + kAskAgain;
  else if (now >= *next_ask_) {
    next_ask_ = now + kAskAgain;
    fences_.ask_again();
    ask_due_ = true;
    handler_.turn_soon();
  }
  if (std::none_of(leases_.begin(), leases_.end(), [](const auto& one) { return one.second.shared(); }))
    return next_reclaim_.reset();
  const Duration delay =
      std::max<Duration>(configuration_->files.lsb->params.mc_reclaim_delay, kShortestReclaim);
  if (!next_reclaim_) next_reclaim_ = now + delay;
  if (now < *next_reclaim_) return;
  next_reclaim_ = now + delay;
  reclaim_due_ = true;
  handler_.turn_soon();
}

void LeaseOut::divide(std::uint64_t number) {
  const Lease& of = leases_.at(number);
  if (!of.shared() || of.lease.withdrawn || of.both_sides.empty()) return;
  if (of.lease.phase != lease::Phase::offered && of.lease.phase != lease::Phase::requested &&
      of.lease.phase != lease::Phase::active)
    return;  // the last division is not settled
  const auto hosts = lease::shared_hosts(of, own_hosts(), attempts());
  std::vector<int> has;
  if (of.lease.phase != lease::Phase::active) {
    if (std::any_of(of.lease.hosts.begin(), of.lease.hosts.end(),
                    [](const auto& one) { return one.wanted > 0; }))
      return;  // one slot is reserved, and no job has asked for it
    has = lease::reserve_one(hosts);
  } else {
    const auto division = lease::reclaim(hosts);
    if (division.to == lease::Division::To::nobody) return;
    has = division.consumer_has;
    divisions_[number] = lease::reclaim_reason(lease::idle_slots(hosts), division.to);
    log_.notice("lease " + lease::text(of.lease.id) + ": " + divisions_.at(number));
  }
  lease::event::Divided divided;
  for (std::size_t i = 0; i < hosts.size(); ++i) divided.consumer_has[of.lease.hosts[i].has.host] = has[i];
  step(number, divided);
}

std::vector<lease::LeasedHost> LeaseOut::exported_by(const Lease& of, const lease::Offer& offer) const {
  return of.shared() ? lease::divided_hosts(of, offer.hosts, own_hosts(offer.hosts), attempts())
                     : offer.hosts;
}

void LeaseOut::changed(const std::set<JobKey>& jobs) {
  if (!jobs.empty()) advance_due_ = true;
}

std::vector<const LeaseOut::Lease*> LeaseOut::all() const {
  std::vector<const Lease*> all;
  for (const auto& [number, one] : leases_) all.push_back(&one);
  return all;
}

std::vector<lease::ExportHost> LeaseOut::export_hosts() const {
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  std::map<std::string, int> exported;  // whole hosts
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts)
      if (!one.names_hosts() && lent.wanted > 0)
        exported[lent.has.host] =
            one.both_sides.contains(lent.has.host) ? one.both_sides.at(lent.has.host) : lent.wanted;
  std::vector<lease::ExportHost> hosts;
  for (HostNumber host = 0; host < rules.own_hosts; ++host) {
    const auto& values = snapshot.values(host);
    const auto& state = snapshot.host(host);
    const bool up = !state.unavailable && !state.unreachable;
    // The CPUs of a host that is down may be unknown: what was exported of it stays.
    const auto before = exported.find(rules.hosts[host].text());
    const int slots = !up && before != exported.end() ? before->second : own_slots(values);
    hosts.push_back({rules.hosts[host].text(), keeper_.facts_of(host).type, slots, up, nullptr});
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
      own[name] = {own_slots(snapshot.values(*host)), snapshot.tallies().slots[*host], fences_.heard(name)};
  };
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) add(lent.has.host);
  for (const auto& host : more) add(host.host);
  return own;
}

lease::Attempts LeaseOut::attempts() const {
  lease::Attempts attempts;
  std::set<std::string> looked;
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) {
      if (!looked.insert(lent.has.host).second) continue;
      for (const JobKey key : jobs_.on_host(lent.has.host)) {
        const sched::Job* job = jobs_.find(key);
        if (!job || !sched::on_lent_slots(job->record)) continue;
        auto& there = attempts[{job->record.from().lease(), lent.has.host}];
        there.slots += slots_on(job->record, lent.has.host);
        const auto [memory_kb, swap_kb] = memory_on(job->record, lent.has.host);
        there.mem_mb += static_cast<double>(memory_kb) / 1024;
        there.swp_mb += static_cast<double>(swap_kb) / 1024;
      }
    }
  return attempts;
}

// ---------------------------------------------------------------- what is exported

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
            job && job->record.from().lease() == leases[i]->lease.id.number)
          was.last_start = std::max(was.last_start, WallTime{job->record.start_us()});
      chosen.hosts.push_back(std::move(was));
    }
  }
  auto hosts = export_hosts();
  const auto& snapshot = keeper_.snapshot();
  std::vector<HostToExport> views;
  views.reserve(hosts.size());
  for (HostNumber host = 0; host < hosts.size(); ++host) {
    views.emplace_back(snapshot.rules().indices(), snapshot.values(host));
    hosts[host].view = &views.back();
  }
  const auto offers = lease::offers(policies_, hosts, before, snapshot.rules().indices());
  std::vector<std::pair<std::uint64_t, std::optional<std::size_t>>> known;
  for (std::size_t i = 0; i < leases.size(); ++i) known.emplace_back(leases[i]->lease.id.number, of[i]);
  for (const auto& [number, policy] : known) {
    const auto offer =
        std::find_if(offers.begin(), offers.end(), [&, number = number, policy = policy](const auto& one) {
          return policy && one.policy == *policy && one.consumer == leases_.at(number).lease.consumer;
        });
    if (offer == offers.end()) {
      if (!leases_.at(number).lease.withdrawn) step(number, lease::event::Exported{{}, {}, true});
      continue;
    }
    const auto last = exported_.find(number);
    const bool same = leases_.at(number).terms == lease::policy_terms(policies_[offer->policy]);
    if (!same || last == exported_.end() || last->second != offer->hosts) export_to(number, *offer);
  }
  for (const auto& offer : offers) {
    const bool there = std::any_of(known.begin(), known.end(), [&](const auto& one) {
      return one.second == offer.policy && leases_.contains(one.first) &&
             leases_.at(one.first).lease.consumer == offer.consumer;
    });
    if (!there && !offer.hosts.empty()) make_lease(offer, policies_[offer.policy]);
  }
  take_from_own_hosts();
  advance_due_ = true;  // slots may be free for what is exported now
}

void LeaseOut::make_lease(const lease::Offer& offer, const ExportPolicy& policy) {
  Lease made;
  made.lease.id = {configuration_->files.cluster->settings.cluster, (store_.term() << kTermShift) + ++made_};
  made.lease.consumer = offer.consumer;
  const std::uint64_t number = made.lease.id.number;
  leases_[number] = std::move(made);
  if (!export_to(number, offer)) return void(leases_.erase(number));
  log_.notice("lease " + lease::text(leases_.at(number).lease.id) + ": " + policy.place.text() + " exports " +
              std::to_string(offer.hosts.size()) + " hosts to cluster " + offer.consumer);
  if (const auto peer = peers_.find(offer.consumer); peer != peers_.end()) {
    peer->second.stands.insert(number);
    peer->second.loads = true;
    handler_.turn_soon();
  }
}

bool LeaseOut::export_to(std::uint64_t number, const lease::Offer& offer) {
  Lease& of = leases_.at(number);
  const Lease before = of;
  of.policy = lease::policy_name(policies_[offer.policy]);
  of.terms = lease::policy_terms(policies_[offer.policy]);
  of.both_sides.clear();
  if (of.shared())
    for (const auto& host : offer.hosts) of.both_sides[host.host] = host.slots;
  exported_.erase(number);  // the row is to be written, whatever the step changes
  if (!step(number, lease::event::Exported{exported_by(of, offer), {}, false})) {
    leases_.at(number) = before;
    return false;
  }
  exported_[number] = offer.hosts;
  return true;
}

// ---------------------------------------------------------------- the lease

bool LeaseOut::keep(std::uint64_t number, const Lease* of) {
  io::StoreBatch batch;
  batch.controls.push_back(
      {kLeaseRow, std::to_string(number), of ? peers::row_of(*of).SerializeAsString() : std::string()});
  const auto kept = store_.commit(batch);
  if (!kept) log_.error(kept.error().text + "; the lease stays as it is");
  return kept.has_value();
}

bool LeaseOut::step(std::uint64_t number, const lease::ProviderEvent& event) {
  Lease next = leases_.at(number);
  const std::string before = peers::row_of(next).SerializeAsString();
  auto now = lease::hosts_now(next, all(), own_hosts(), attempts());
  for (auto& [host, here] : now) here.fenced = fences_.on_disk(host, number);
  const auto phase = next.lease.phase;
  const auto effects = lease::step(next.lease, event, now, store_.term());
  const bool is_new = !exported_.contains(number);
  if ((is_new || peers::row_of(next).SerializeAsString() != before) && !keep(number, &next)) {
    export_due_ = advance_due_ = true;  // tried again with the next load
    return false;
  }
  leases_.at(number) = std::move(next);
  ask_due_ = true;
  if (const auto& one = leases_.at(number).lease; one.phase != phase)
    log_.notice("lease " + lease::text(one.id) + " of cluster " + one.consumer + ": " +
                std::string(lease::text(phase)) + " -> " + std::string(lease::text(one.phase)) + ", grant " +
                lease::text(one.number));
  carry_out(number, effects);
  return true;
}

void LeaseOut::carry_out(std::uint64_t number, const lease::ProviderEffects& effects) {
  namespace effect = lease::effect;
  take_from_own_hosts();
  for (const auto& one : effects) {
    Lease& of = leases_.at(number);
    if (std::holds_alternative<effect::Tell>(one)) {
      if (const auto peer = peers_.find(of.lease.consumer); peer != peers_.end())
        peer->second.stands.insert(number);
    } else if (const auto* kill_there = std::get_if<effect::Kill>(&one)) {
      kill(of, kill_there->host, kill_there->slots);
    } else if (const auto* fence = std::get_if<effect::Fence>(&one)) {
      fences_.wants(fence->host, number);
    } else if (std::holds_alternative<effect::Forget>(one)) {
      if (!keep(number, nullptr)) continue;  // it is acknowledged again
      log_.notice("lease " + lease::text(of.lease.id) + " of cluster " + of.lease.consumer + " is over");
      leases_.erase(number);
      exported_.erase(number);
      divisions_.erase(number);
      break;
    }
  }
  if (!effects.empty()) handler_.turn_soon();
}

// The most recently started jobs first. Those that are being ended already count.
void LeaseOut::kill(const Lease& of, const std::string& host, int slots) {
  std::vector<std::pair<std::int64_t, const sched::Job*>> there;
  for (const JobKey key : jobs_.on_host(host)) {
    const sched::Job* job = jobs_.find(key);
    if (job && job->record.from().lease() == of.lease.id.number)
      there.emplace_back(job->record.start_us(), job);
  }
  std::sort(there.begin(), there.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->key() > b.second->key();
  });
  std::vector<JobKey> ended;
  for (const auto& [start_us, job] : there) {
    if (slots <= 0) break;
    slots -= slots_on(job->record, host);
    ended.push_back(job->key());
  }
  for (const JobKey key : ended)
    handler_.changed(forwards_.recall_lent(key, "host " + host + " is no longer exported", io::wall_now()));
}

void LeaseOut::advance() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [number, one] : leases_)
    if (lease::waits(one.lease)) waiting.push_back(number);
  for (const std::uint64_t number : waiting)
    if (leases_.contains(number)) step(number, lease::event::Changed{});
}

void LeaseOut::take_from_own_hosts() { keeper_.lend(lease::lent_hosts(all(), attempts())); }

// ---------------------------------------------------------------- the other cluster

void LeaseOut::serves(const std::string& cluster) {
  peers_[cluster] = {};
  handler_.turn_soon();
}

Result<void> LeaseOut::heard(const std::string& cluster, const wire::LeaseAnswer& said) {
  const auto answer = peers::believed(said);
  if (!answer) return answer.error();
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end()) return {};
  const auto found = leases_.find(answer->lease);
  if (found == leases_.end() || found->second.lease.consumer != cluster) {
    peer->second.answers.push_back(peers::lease_over(answer->lease));
    handler_.turn_soon();
    return {};
  }
  if (answer->acknowledged.number != lease::GrantNumber{}) step(answer->lease, answer->acknowledged);
  if (answer->wants && leases_.contains(answer->lease) &&
      leases_.at(answer->lease).lease.phase == lease::Phase::offered)
    step(answer->lease, lease::event::Asked{});
  return {};
}

// Why the slots cannot be taken now; none: they can.
std::optional<std::string> LeaseOut::why_not(const std::string& cluster, const wire::LentSlots& lent,
                                             const lease::Attempts& there) const {
  const auto found = leases_.find(lent.lease());
  if (found == leases_.end() || found->second.lease.consumer != cluster) return "the lease is over";
  const auto used = there.find({lent.lease(), lent.host()});
  const lease::GrantNumber under{lent.under().term(), lent.under().counter()};
  if (!found->second.lease.may_start(lent.host(), lent.slots(), under,
                                     fences_.heard(lent.host())
                                         ? std::optional(used == there.end() ? 0 : used->second.slots)
                                         : std::nullopt))
    return "the lease has changed";
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
  const auto there = attempts();
  std::set<std::string> hosts;
  for (const auto& on : slots) {
    if (on.lease() != slots.front().lease() || !hosts.insert(on.host()).second)
      return stale("the job has a host twice, or hosts of two leases");
    if (auto why = why_not(cluster, on, there)) return stale(std::move(*why));
  }
  return forwards_.start_on_lent_slots(cluster, offer, asked, who, now);
}

std::vector<lease::LeaseReport> LeaseOut::reports() const {
  std::vector<lease::LeaseReport> reports;
  for (const auto& [number, one] : leases_) {
    lease::LeaseReport& report = reports.emplace_back();
    report.id = one.lease.id;
    report.cluster = one.lease.consumer;
    report.connected = peers_.contains(one.lease.consumer);
    report.phase = one.lease.phase;
    report.number = one.lease.number;
    report.shared = one.shared();
    if (const auto why = divisions_.find(number); why != divisions_.end()) report.reason = why->second;
    for (const auto& lent : one.lease.hosts) {
      lease::ReportedHost& host = report.hosts.emplace_back();
      host.host = lent.has.host;
      const auto both = one.both_sides.find(lent.has.host);
      host.exported = both == one.both_sides.end() ? lent.wanted : both->second;
      host.has = lent.has;
      for (const JobKey key : jobs_.on_host(lent.has.host))
        if (const sched::Job* job = jobs_.find(key); job && job->record.from().lease() == number)
          sched::answers::count(host.counts, job->status(), slots_on(job->record, lent.has.host));
    }
  }
  return reports;
}

wire::PeerMessage LeaseOut::loads_for(const std::string& cluster) const {
  std::set<std::string> names;
  for (const auto& [number, one] : leases_)
    if (one.lease.consumer == cluster)
      for (const auto& host : one.lease.hosts) names.insert(host.has.host);
  const auto& snapshot = keeper_.snapshot();
  const auto& rules = snapshot.rules();
  wire::PeerMessage message;
  auto& loads = *message.mutable_lease_loads();
  for (const std::string& name : names) {
    const auto host = rules.host(name);
    if (!host || *host >= rules.own_hosts) continue;
    const auto& state = snapshot.host(*host);
    auto& to = *loads.add_hosts();
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
    for (ResourceId id = 0; id < rules.indices().size() && id < values.numbers.size(); ++id) {
      const auto& definition = rules.indices().at(id);
      if (!definition.dynamic() || rules.shared_resource(id) || definition.type != ResourceType::numeric ||
          std::isnan(values.numbers[id]))
        continue;
      // What is exported is the consumer's: it is not taken from what the host has free.
      const double lent = id == mem   ? snapshot.lent(*host).mem_mb
                          : id == swp ? snapshot.lent(*host).swp_mb
                                      : 0;
      to.add_names(definition.name);
      to.add_values(static_cast<float>(values.numbers[id] + lent));
    }
  }
  return message;
}

void LeaseOut::flush(WallTime) {
  if (std::exchange(export_due_, false)) export_all();
  if (std::exchange(advance_due_, false)) advance();
  if (std::exchange(reclaim_due_, false)) {
    std::vector<std::uint64_t> all;
    for (const auto& [number, one] : leases_) all.push_back(number);
    for (const std::uint64_t number : all) divide(number);
  }
  // Before the grants are told: the orders for starts under them follow.
  if (std::exchange(ask_due_, false)) fences_.ask(leases_by_host());
  // Sending may end a connection, and then removes its peer from peers_: collect all messages first.
  std::vector<std::pair<std::string, wire::PeerMessage>> due;
  for (auto& [cluster, peer] : peers_)
    for (auto& message : due_for(cluster, peer)) due.emplace_back(cluster, std::move(message));
  for (auto& [cluster, message] : due) handler_.say(cluster, std::move(message));
}

std::vector<wire::PeerMessage> LeaseOut::due_for(const std::string& cluster, Peer& peer) const {
  std::vector<wire::PeerMessage> due;
  const bool greets = std::exchange(peer.greets, false);
  wire::PeerMessage told;
  told.mutable_leases_told();
  for (const auto& [number, one] : leases_) {
    if (one.lease.consumer != cluster) continue;
    if (greets || peer.stands.contains(number)) due.push_back(peers::stands_of(one.lease));
    told.mutable_leases_told()->add_leases(number);
  }
  peer.stands.clear();
  const bool any = told.leases_told().leases_size() != 0;
  if (greets) due.push_back(std::move(told));
  if (std::exchange(peer.loads, false) && any) due.push_back(loads_for(cluster));
  for (auto& answer : std::exchange(peer.answers, {})) due.push_back(std::move(answer));
  return due;
}

}  // namespace rollcall::mbatchd
