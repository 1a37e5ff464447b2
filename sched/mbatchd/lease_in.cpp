#include "sched/mbatchd/lease_in.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/host_list.hpp"
#include "sched/mbatchd/borrowed_host.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/answers/lease_rows.hpp"
#include "sched/policy/cycle/lendable.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "sched/policy/peers/peer_sessions.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
namespace report = sched::report;
using sched::Attempt;
using sched::HostId;
using sched::JobKey;

wire::ForwardAttempt named(const Attempt& attempt, const std::string& host) {
  wire::ForwardAttempt to = peers::attempt_of(attempt);
  to.set_lent_host(std::string(HostId(host).host()));
  return to;
}

constexpr const char* kNoType = "its cluster has a release that does not tell the type";

std::vector<std::string> hosts_of(const lease::ConsumerLease& of) {
  std::vector<std::string> names;
  names.reserve(of.hosts.size());
  for (const auto& has : of.hosts) names.push_back(has.host);
  return names;
}

}  // namespace

// ---------------------------------------------------------------- leases

std::map<std::string, int> LeaseIn::uses(const Lease& of) const {
  std::map<std::string, int> uses;
  for (const auto& host : of.hosts) {
    const std::string id = id_of(host.host, of.id.provider);
    for (const JobKey key : jobs_.on_host(id))
      if (const sched::Job* job = jobs_.find(key))
        for (const auto& on : job->record.hosts())
          if (on.name() == id) uses[host.host] += static_cast<int>(on.slots());
    if (const int more = ending_on(of.id.provider, host.host); more > 0) uses[host.host] += more;
  }
  return uses;
}

std::map<std::string, int> LeaseIn::limits(const Lease& of) const {
  std::map<std::string, int> limits;
  if (!of.remarks.shared.value_or(false)) return limits;
  const auto& snapshot = keeper_.snapshot();
  for (const auto& has : of.hosts) {
    const auto number = snapshot.rules().host(id_of(has.host, of.id.provider));
    const auto* row = number ? snapshot.values(*number).row : nullptr;
    if (row != nullptr && !row->slots_of_cpus && row->slots)
      limits[has.host] = std::min(*row->slots, peers::kMostLeasedSlots);
  }
  return limits;
}

// They change with our files, and when it becomes known of which model and type a host is.
void LeaseIn::tell_limits() {
  for (const auto& [id, one] : leases_)
    if (limits(one) != limits_[id]) {
      answers_.insert(id);
      handler_.turn_soon();
    }
}

// Slots of parts that have not ended there. A job that has its part in use again counts by itself.
int LeaseIn::ending_on(const std::string& cluster, const std::string& host) const {
  const auto on = ending_slots_.find({cluster, host});
  if (on == ending_slots_.end()) return 0;
  return static_cast<int>(std::min<std::int64_t>(on->second, peers::kMostLeasedSlots));
}

lease::JobsNow LeaseIn::jobs_of(const Lease& of) const {
  lease::JobsNow now;
  now.unanswered = !knows(of.id.provider);
  for (const auto& [attempt, start] : starts_)
    if (const auto under = start.find(of.id); under != start.end())
      now.unanswered = now.unanswered || under->second < of.number;
  now.any = of.phase == lease::Phase::returned &&
            !uses(of).empty();  // of interest then alone, and all jobs there are looked at
  return now;
}

// Leases of a cluster that is no peer any more are over: it will never say so.
void LeaseIn::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  if (leases_.empty()) return;
  std::vector<LeaseId> over;
  for (const auto& [id, one] : leases_)
    if (!configuration_->peers.cluster(id.provider)) over.push_back(id);
  for (const LeaseId& id : over) step(id, lease::event::Unlisted{});
  borrow();
}

void LeaseIn::forget_numbers(const std::string& cluster) {
  for (auto& [id, one] : leases_)
    if (id.provider == cluster) one.number = {}, one.phase = lease::Phase::offered;
  borrow_soon();
}

void LeaseIn::log_change(const std::string& provider, std::string line) {
  const TimePoint now = steady_now();
  for (const auto& told : changes_.lines(provider, std::move(line), now)) log_.notice(told);
}

void LeaseIn::step(const LeaseId& id, const lease::ConsumerEvent& event) {
  Lease& of = leases_.at(id);
  const auto had = hosts_of(of);
  const auto effects = lease::step(of, event, jobs_of(of));
  note_hosts(id, had, hosts_of(of));
  for (const auto& one : effects) {
    if (std::holds_alternative<lease::effect::Answer>(one)) {
      answers_.insert(id);
      handler_.turn_soon();
    } else {
      handler_.say(id.provider, peers::answer_of(of, of.number, {}));  // no job of ours is left there
      answers_.erase(id);
      log_change(id.provider, "lease " + lease::text(id) + " is over");
      note_hosts(id, hosts_of(of), {});
      limits_.erase(id);
      leases_.erase(id);
      return;
    }
  }
}

// A provider may tell of one lease again and again: the hosts of its others are not looked at.
void LeaseIn::note_hosts(const LeaseId& id, const std::vector<std::string>& had,
                         const std::vector<std::string>& has) {
  if (had == has) return;
  hosts_noted_ += had.size() + has.size();
  for (const auto& host : had)
    if (const auto found = lease_hosts_.find({id.provider, host}); found != lease_hosts_.end())
      lease_hosts_.erase(found);
  for (const auto& host : has) lease_hosts_.emplace(id.provider, host);
}

std::vector<lease::LeaseReport> LeaseIn::reports() const {
  std::vector<lease::LeaseReport> reports;
  for (const auto& [id, one] : leases_) {
    if (one.phase == lease::Phase::returned) continue;
    lease::LeaseReport& report = reports.emplace_back();
    report.id = id;
    report.cluster = id.provider;
    report.imports = true;
    report.connected = knows(id.provider);
    report.phase = one.phase;
    report.number = one.number;
    report.shared = one.remarks.shared.value_or(false);
    if (!one.remarks.shared)
      report.reason = kNoType;
    else if (one.phase != lease::Phase::offered)
      report.reason = lease::awaited_reason(one.remarks.awaited, id.provider);
    for (const auto& has : one.resources) report.resources.push_back({has, 0});
    for (const auto& has : one.hosts) {
      lease::ReportedHost& host = report.hosts.emplace_back();
      host.host = has.host;
      host.exported = has.slots;
      host.has = has;
      const std::string on = id_of(has.host, id.provider);
      for (const JobKey key : jobs_.on_host(on))
        if (const sched::Job* job = jobs_.find(key))
          for (const auto& at : job->record.hosts())
            if (at.name() == on)
              sched::answers::count(host.counts, job->status(), static_cast<int>(at.slots()));
    }
  }
  return reports;
}

std::vector<lease::AwaitedLease> LeaseIn::awaited() const {
  std::vector<lease::AwaitedLease> awaited;
  std::set<std::string, std::less<>> lend;
  const auto& rules = keeper_.snapshot().rules();
  for (auto host = rules.own_hosts; host < rules.hosts.size(); ++host)
    if (!rules.has_returned(host)) lend.emplace(rules.hosts[host].cluster());
  for (const auto& [id, one] : leases_) {
    if (one.phase == lease::Phase::returned || !knows(id.provider)) continue;
    const bool lends = lend.contains(id.provider);
    if (!lends || one.remarks.awaited > 0) awaited.push_back({id, one.remarks.awaited, lends});
  }
  return awaited;
}

const sched::BorrowedLoad* LeaseIn::load_of(const HostId& host) const {
  const auto peer = peers_.find(std::string(host.cluster()));
  if (peer == peers_.end()) return nullptr;
  const auto load = peer->second.loads.find(std::string(host.host()));
  return load == peer->second.loads.end() ? nullptr : &load->second;
}

void LeaseIn::flush() {
  for (const auto& [cluster, ends] : std::exchange(acknowledged_, {}))
    for (const auto& [name, attempt] : ends) {
      wire::PeerMessage message = peers::acknowledge_of(peers::attempt_of(attempt), nullptr);
      *message.mutable_acknowledge()->mutable_attempt() = attempt;
      handler_.say(cluster, std::move(message));
    }
  const auto ended_at = std::exchange(ended_at_, {});
  for (const auto& [id, one] : leases_)  // fewer slots are in use
    if (ended_at.contains(id.provider) && !one.placeable()) answers_.insert(id);
  for (const LeaseId& id : std::exchange(answers_, {})) {
    const auto found = leases_.find(id);
    if (found == leases_.end() || !peers_.contains(id.provider)) continue;
    const Lease& of = found->second;
    const auto& told = limits_[id] = limits(of);
    handler_.say(id.provider, peers::answer_of(of, lease::acknowledges(of, jobs_of(of)), uses(of), told));
  }
}

void LeaseIn::planned(const sched::cycle::Snapshot& snapshot) {
  std::vector<LeaseId> wanted;
  for (const auto& [id, one] : leases_) {
    if (one.wants || one.phase == lease::Phase::returned) continue;
    const auto& waiting = snapshot.waiting_demands();
    const std::string& provider = id.provider;
    if (std::any_of(waiting.begin(), waiting.end(), [&](const auto demand) {
          return sched::cycle::could_use(snapshot.rules(), snapshot.demand(demand), provider);
        }))
      wanted.push_back(id);
  }
  for (const LeaseId& id : wanted) step(id, lease::event::Wanted{});
}

const LeaseIn::Lease* LeaseIn::lease_of(const HostId& host) const {
  for (const auto& [id, one] : leases_) {
    if (id.provider != host.cluster()) continue;
    for (const auto& has : one.hosts)
      if (has.host == host.host() && has.slots > 0) return &one;
  }
  return nullptr;
}

bool LeaseIn::all_placeable(const std::vector<wire::ExecHost>& hosts) const {
  return std::all_of(hosts.begin(), hosts.end(), [&](const auto& host) {
    const Lease* of = lease_of(HostId(host.name()));
    return of && of->placeable();
  });
}

wire::LentSlots LeaseIn::slots_of(const wire::ExecHost& host, const std::string& queue, Start& start) const {
  const HostId id(host.name());
  const Lease& of = *lease_of(id);
  start[of.id] = of.number;
  wire::LentSlots slots;
  slots.set_lease(of.id.number);
  slots.mutable_under()->set_term(of.number.term);
  slots.mutable_under()->set_counter(of.number.counter);
  slots.set_host(std::string(id.host()));
  slots.set_slots(static_cast<std::int32_t>(host.slots()));
  slots.set_queue(queue);
  return slots;
}

// Of instances of leases, what jobs have that the snapshot does not count: parts that have not ended, and jobs on hosts that are on no lease any
// more. By cluster and resource.
std::map<std::pair<std::string, std::string>, double> LeaseIn::held_apart(
    const std::map<HostId, UsedHost>& used) const {
  std::map<std::pair<std::string, std::string>, double> held;
  for (const auto& [of, one] : ending_)
    for (const auto& [resource, amount] : one.part.reserved) held[{of.first, resource}] += amount;
  for (const std::string& host : came_) {
    const HostId id(host);
    if (used.contains(id)) continue;
    for (const JobKey key : jobs_.on_host(host))
      if (const sched::Job* job = jobs_.find(key))
        for (const auto& row : job->record.reserved())
          if (row.host() == host) held[{std::string(id.cluster()), row.resource()}] += row.amount();
  }
  return held;
}

std::vector<sched::InstancesOnLease> LeaseIn::instances() const {
  std::vector<sched::InstancesOnLease> instances;
  if (std::all_of(leases_.begin(), leases_.end(),
                  [](const auto& one) { return one.second.resources.empty(); }))
    return instances;
  const auto used = hosts_used();
  const auto apart = held_apart(used);
  for (const auto& [id, one] : leases_)
    for (const auto& resource : one.resources) {
      sched::InstancesOnLease& to = instances.emplace_back();
      to.resource = resource.name;
      for (const auto& host : resource.hosts)
        if (const auto on = used.find(HostId(id_of(host, id.provider)));
            on != used.end() && on->second.lease == &one)
          to.hosts.push_back(on->first);
      to.instances = resource.instances;
      if (const auto held = apart.find({id.provider, resource.name}); held != apart.end())
        to.instances = std::max(0, to.instances - static_cast<int>(std::ceil(held->second)));
      if (to.hosts.empty()) instances.pop_back();
    }
  return instances;
}

std::optional<std::map<std::string, double>> LeaseIn::reserved_at(const std::string& cluster,
                                                                  const wire::JobRecord& record) const {
  std::map<std::string, double> reserved;
  const auto& rules = keeper_.snapshot().rules();
  for (const auto& row : record.reserved()) {
    const HostId host(row.host());
    const auto id = rules.indices().find(row.resource());
    if (host.cluster() != cluster || !id || !rules.shared_resource(*id)) continue;
    const Lease* of = lease_of(host);
    if (!of || std::none_of(of->resources.begin(), of->resources.end(), [&](const auto& resource) {
          return resource.name == row.resource() &&
                 std::find(resource.hosts.begin(), resource.hosts.end(), host.host()) != resource.hosts.end();
        }))
      return std::nullopt;
    reserved[row.resource()] += row.amount();
  }
  return reserved;
}

void LeaseIn::settle() {
  if (std::exchange(borrow_due_, false)) borrow();
}

// Hosts that no lease and no job of ours has any more are gone for the Book.
void LeaseIn::forget_returned() {
  std::vector<std::string> returned;
  for (const std::string& host : came_)
    if (const HostId id(host); !has_host(std::string(id.cluster()), std::string(id.host())))
      returned.push_back(host);
  for (const std::string& host : returned) {
    came_.erase(host);
    handler_.gone(host);
  }
}

// Where two leases have slots of one host, those of the first are used. One without slots hides none of another.
std::map<HostId, LeaseIn::UsedHost> LeaseIn::hosts_used() const {
  std::map<HostId, UsedHost> used;
  for (const auto& [id, one] : leases_)
    for (const auto& has : one.hosts) {
      if (!has.known()) continue;
      UsedHost& host = used[HostId(id_of(has.host, id.provider))];
      if (host.lease == nullptr || (host.has->slots == 0 && has.slots > 0)) host = {&one, &has};
    }
  return used;
}

sched::HostOnLease LeaseIn::on_lease(const HostId& id, const UsedHost& used) const {
  const auto& has = *used.has;
  const std::string& provider = used.lease->id.provider;
  sched::HostOnLease host;
  host.unavailable = knows(provider);  // it has told of no load yet
  if (const auto peer = peers_.find(provider); peer != peers_.end())
    if (const auto load = peer->second.loads.find(has.host); load != peer->second.loads.end())
      host = load->second.host;
  host.id = id;
  host.share = {std::max(0, has.slots - ending_on(provider, has.host)), has.whole,
                has.memory_mb ? std::optional<double>(*has.memory_mb) : std::nullopt,
                has.swap_mb ? std::optional<double>(*has.swap_mb) : std::nullopt};
  host.unreachable = host.unreachable || !knows(provider);
  host.inactive = !used.lease->placeable();
  return host;
}

void LeaseIn::borrow() {
  sched::BorrowedNames names;
  std::vector<sched::HostOnLease> list;
  std::vector<std::string> fresh;
  for (const auto& [host, used] : hosts_used()) {
    names.insert(host);
    if (knows(std::string(host.cluster())) && !came_.contains(host.text())) fresh.push_back(host.text());
    list.push_back(on_lease(host, used));
  }
  forget_returned();
  hosts_.borrowed(std::move(names));
  for (const std::string& name : keeper_.borrow(std::move(list), instances()))
    if (unknown_.size() < 1000 && unknown_.insert(name).second)
      log_.warning("resource " + printable(name) +
                   " of a borrowed host is not in lsf.shared here: it is ignored");
  for (const std::string& host : fresh) {
    came_.insert(host);
    handler_.told(host, report::HostCame{});
  }
  tell_limits();
}

// ---------------------------------------------------------------- orders

void LeaseIn::start(const std::string& host, sched::order::Start order) {
  const HostId id(host);
  const std::string cluster(id.cluster());
  if (!knows(cluster)) return;  // ordered again when it connects
  const auto refuse = [&](report::Over::How how, std::string why) {
    report::Over over;
    over.attempt = order.attempt;
    over.how = how;
    over.why = std::move(why);
    handler_.told_soon(host, over);
  };
  if (std::any_of(order.hosts.begin(), order.hosts.end(),
                  [&](const auto& each) { return provider_of(each.name()) != cluster; }))
    return refuse(report::Over::How::not_started, kSeveralClusters);
  if (stays_home(cluster, *order.asked))
    return refuse(report::Over::How::not_started, sched::cycle::kOfRootWords);
  const sched::Job* job = jobs_.find(order.attempt.job);
  const auto reserved = job ? reserved_at(cluster, job->record) : std::map<std::string, double>{};
  if (!all_placeable(order.hosts) || !reserved)
    return refuse(report::Over::How::refused, "the lease has changed");
  wire::PeerMessage message = peers::offer_of(order);
  auto& offer = *message.mutable_offer();
  *offer.mutable_attempt() = named(order.attempt, host);
  if (job) offer.mutable_attempt()->set_made(peers::made_of(job->record));
  peers::set_reserved(*reserved, offer);
  offer.clear_queue();
  auto& asked = *offer.mutable_asked();
  // The effective values: the provider knows neither our queues nor our profiles.
  *asked.mutable_limits() = order.limits;
  asked.set_pre_exec(order.pre_exec);
  asked.set_post_exec(order.post_exec);
  *offer.mutable_programs() = peers::programs_of(order);
  for (const std::string& word : order.environment)
    if (peers::crosses(word)) asked.add_environment(word);  // of its profile
  if (const auto range = sched::jobs::range_of(*order.asked, order.attempt.job.index)) {
    offer.set_index_step(range->step);
    offer.set_index_end(range->end);
  }
  peers::propose(peers::proposed(user_map_of(configuration_->files), cluster, order.asked->user()), offer);
  Start start;
  for (const auto& each : order.hosts)
    *(offer.has_lent() ? offer.add_more_lent() : offer.mutable_lent()) = slots_of(each, order.queue, start);
  if (auto too_large = peers::too_large(message))
    return refuse(report::Over::How::not_started, std::move(*too_large));
  starts_[{cluster, order.attempt}] = std::move(start);
  handler_.say(cluster, std::move(message));
}

bool LeaseIn::stays_home(const std::string& cluster, const wire::Submission& asked) const {
  return asked.uid() == 0 &&
         peers::proposed(user_map_of(configuration_->files), cluster, asked.user()).empty();
}

bool LeaseIn::is_other_host(const std::string& host, const Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  return job && job->record.attempt() == attempt.number && job->record.hosts_size() > 1 &&
         job->record.hosts(0).name() != host;
}

void LeaseIn::signal(const std::string& host, const sched::order::Signal& order) {
  const std::string cluster = provider_of(host);
  const auto part = part_at(cluster, order.attempt);
  // The order of the first host there is for all.
  if (part.empty() ? is_other_host(host, order.attempt) : part.front().name() != host) return;
  // A part that was not offered yet is not known there. The signal comes again behind the order.
  if (!part.empty() && !parts_.contains({order.attempt, cluster})) return;
  wire::PeerMessage message = peers::signal_of(order);
  if (auto& sent = *message.mutable_signal()->mutable_sent(); sent.action() == wire::SentSignal::SUSPEND)
    sent.set_term_reason(sched::jobs::crossing_reason(order.suspend_reasons));
  *message.mutable_signal()->mutable_attempt() = named(order.attempt, host);
  message.mutable_signal()->mutable_attempt()->set_part(!part.empty());
  handler_.say(cluster, std::move(message));
}

void LeaseIn::acknowledge(const std::string& host, const Attempt& attempt) {
  const sched::Job* job = jobs_.find(attempt.job);
  wire::PeerMessage message = peers::acknowledge_of(attempt, job ? &job->record : nullptr);
  *message.mutable_acknowledge()->mutable_attempt() = named(attempt, host);
  handler_.say(provider_of(host), std::move(message));
}

void LeaseIn::release(const std::string& host, const Attempt& attempt) {
  const std::string cluster = provider_of(host);
  if (const auto part = ending_.find({cluster, attempt}); part != ending_.end())
    return recall_part(cluster, attempt, part->second);
  // Its provider has told of it no part since mbatchd was started: if it has one, it will, and that is recalled.
  if (is_other_host(host, attempt) || !part_at(cluster, attempt).empty()) return;
  wire::PeerMessage message = peers::recall_of(attempt);
  *message.mutable_recall()->mutable_attempt() = named(attempt, host);
  handler_.say(provider_of(host), std::move(message));
}

}  // namespace rollcall::mbatchd
