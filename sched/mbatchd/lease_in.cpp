#include "sched/mbatchd/lease_in.hpp"

#include <algorithm>
#include <utility>

#include "common/base/host_list.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/answers/lease_rows.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/lease/lease_terms.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
namespace report = sched::report;
using sched::Attempt;
using sched::HostId;
using sched::JobKey;

constexpr std::size_t kMostLeases = 10'000;  // of one provider
constexpr std::size_t kMostHeldOfLeases = std::size_t{1} << 30;

std::string id_of(const std::string& host, const std::string& cluster) { return host + "@" + cluster; }
std::string provider_of(const std::string& host) { return std::string(HostId(host).cluster()); }

wire::ForwardAttempt named(const Attempt& attempt, const std::string& host) {
  wire::ForwardAttempt to = peers::attempt_of(attempt);
  to.set_lent_host(std::string(HostId(host).host()));
  return to;
}

Result<void> check(const wire::ForwardAttempt& attempt) {
  if (auto checked = peers::check(attempt); !checked) return checked;
  if (host_name(attempt.lent_host())) return {};
  return internal_error("found an attempt on a host with a malformed name, expected a host name");
}

}  // namespace

// ---------------------------------------------------------------- the provider

bool LeaseIn::knows(const std::string& cluster) const {
  const auto peer = peers_.find(cluster);
  return peer != peers_.end() && peer->second.greeted;
}

void LeaseIn::serves(const std::string& cluster) {
  lost(cluster);
  peers_[cluster] = {};
}

void LeaseIn::lost(const std::string& cluster) {
  peers_.erase(cluster);
  for (auto& [part, ending] : ending_)
    if (part.first == cluster) ending.asked = false;
  std::vector<std::string> gone;
  for (const std::string& host : came_)
    if (provider_of(host) == cluster) gone.push_back(host);
  for (const std::string& host : gone) {
    came_.erase(host);
    handler_.gone(host);
  }
  borrow();
}

Result<void> LeaseIn::heard(const std::string& cluster, const wire::PeerMessage& message) {
  using What = wire::PeerMessage::WhatCase;
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end()) return {};
  switch (message.what_case()) {
    case What::kLeaseStands:
      return take_stands(cluster, message.lease_stands());
    case What::kLeaseOver:
      if (const LeaseId id{cluster, message.lease_over().lease()}; leases_.contains(id))
        step(id, lease::event::Unlisted{});
      return {};
    case What::kLeasesTold:
      return take_listed(cluster, message.leases_told()), Result<void>{};
    case What::kLeaseLoads:
      return take_loads(cluster, message.lease_loads());
    case What::kHeld:
      return take_held(cluster, message.held());
    case What::kState:
      return take_state(cluster, message.state());
    case What::kOver:
      return take_over(cluster, message.over());
    default:
      return {};
  }
}

Result<void> LeaseIn::take_stands(const std::string& cluster, const wire::LeaseStands& told) {
  auto lease_told = peers::believed(told);
  if (!lease_told) return lease_told.error();
  const LeaseId id{cluster, lease_told->lease};
  if (!leases_.contains(id)) {
    const auto of_it = std::count_if(leases_.begin(), leases_.end(),
                                     [&](const auto& one) { return one.first.provider == cluster; });
    if (of_it >= static_cast<std::ptrdiff_t>(kMostLeases))
      return internal_error("found more than " + std::to_string(kMostLeases) + " leases, expected fewer");
    leases_[id].id = id;
    handler_.plan_soon();  // a job that waits already may use it
  }
  const auto phase = leases_.at(id).phase;
  step(id, lease_told->told);
  if (const auto now = leases_.find(id); now != leases_.end() && now->second.phase != phase) {
    log_.notice("lease " + lease::text(id) + ": " + std::string(lease::text(phase)) + " -> " +
                std::string(lease::text(now->second.phase)) + ", grant " + lease::text(now->second.number));
    handler_.plan_soon();
  }
  borrow();
  return {};
}

void LeaseIn::take_listed(const std::string& cluster, const wire::LeasesTold& told) {
  const std::set<std::uint64_t> listed(told.leases().begin(), told.leases().end());
  std::vector<LeaseId> over;
  for (const auto& [id, one] : leases_)
    if (id.provider == cluster && !listed.contains(id.number)) over.push_back(id);
  for (const LeaseId& id : over) step(id, lease::event::Unlisted{});
  if (!over.empty()) borrow();
}

Result<void> LeaseIn::take_loads(const std::string& cluster, const wire::LeaseLoads& told) {
  auto hosts = peers::believed(told);
  if (!hosts) return hosts.error();
  auto& loads = peers_.at(cluster).loads;
  loads.clear();
  auto& places = peers_.at(cluster).places;
  places.clear();
  for (auto& host : *hosts) {
    if (!host.addresses.empty()) places[host.host] = {std::move(host.addresses), host.port};
    loads[host.host] = std::move(host.told);
  }
  borrow();
  handler_.plan_soon();
  return {};
}

Result<void> LeaseIn::take_held(const std::string& cluster, const wire::ForwardHeld& part) {
  Peer& peer = peers_.at(cluster);
  if (peer.greeted) return {};
  peer.held.MergeFrom(part);
  if (peer.held.ByteSizeLong() > kMostHeldOfLeases)
    return internal_error("found more than " + std::to_string(kMostHeldOfLeases >> 20) +
                          " MB of attempts on lent hosts");
  if (part.last()) greeted(cluster);
  return {};
}

// Every host with a job of ours or of a lease is there now. A job that the provider does not name has not arrived there.
void LeaseIn::greeted(const std::string& cluster) {
  Peer& peer = peers_.at(cluster);
  peer.greeted = true;
  const wire::ForwardHeld held = std::exchange(peer.held, {});
  std::erase_if(starts_, [&](const auto& one) { return one.first.first == cluster; });
  std::erase_if(ending_, [&](const auto& one) { return one.first.first == cluster; });
  std::map<std::string, wire::ForwardHeld> by_host;
  std::map<std::string, std::vector<report::Held>> parts;
  wire::ForwardHeld of_parts;
  for (const auto& state : held.running()) {
    if (!check(state.attempt())) continue;
    auto& here = by_host[id_of(state.attempt().lent_host(), cluster)];
    if (!state.attempt().part()) {
      *here.add_running() = state;
      continue;
    }
    *of_parts.add_running() = state;
    // One that is not prepared yet is offered again, and answered with how it stands then.
    for (const auto& host : state.job().hosts())
      if (host_name(host.name()) && state.prepared())
        parts[id_of(host.name(), cluster)].push_back(
            {peers::attempt_of(state.attempt()), report::Held::State::expected, false});
  }
  for (const auto& over : held.over())
    if (check(over.attempt()))
      *(over.attempt().part() ? &of_parts : &by_host[id_of(over.attempt().lent_host(), cluster)])
           ->add_over() = over;
  for (const auto& [host, there] : parts) by_host.try_emplace(host);
  for (const auto& [id, one] : leases_)
    if (id.provider == cluster)
      for (const auto& host : one.hosts) by_host.try_emplace(id_of(host.host, cluster));
  for (const auto status :
       {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN, wire::STATUS_ZOMBI})
    for (const JobKey key : jobs_.with_status(status))
      if (const sched::Job* job = jobs_.find(key); job && !sched::is_elsewhere(job->record))
        for (const auto& host : job->record.hosts())
          if (provider_of(host.name()) == cluster) by_host.try_emplace(host.name());
  for (const auto& [host, there] : by_host) came_.insert(host);
  borrow();
  for (const auto& [host, there] : by_host) {
    report::HostCame came = peers::came_of(there);
    if (const auto here = parts.find(host); here != parts.end())
      came.jobs.insert(came.jobs.end(), here->second.begin(), here->second.end());
    handler_.told(host, came);
    for (const auto& state : there.running()) static_cast<void>(take_state(cluster, state));
    for (const auto& over : there.over()) static_cast<void>(take_over(cluster, over));
  }
  for (const auto& state : of_parts.running()) static_cast<void>(take_state(cluster, state));
  for (const auto& over : of_parts.over()) static_cast<void>(take_over(cluster, over));
  borrow();
  for (const auto& [id, one] : leases_)
    if (id.provider == cluster) answers_.insert(id);
  handler_.plan_soon();
}

void LeaseIn::answered(const std::string& cluster, const Attempt& attempt) {
  const auto found = starts_.find({cluster, attempt});
  if (found == starts_.end()) return;
  const LeaseId id = found->second.lease;
  starts_.erase(found);
  if (leases_.contains(id)) step(id, lease::event::Answered{});
}

Result<void> LeaseIn::take_state(const std::string& cluster, const wire::ForwardState& told) {
  if (auto checked = check(told.attempt()); !checked) return checked;
  const auto there = peers::believed(told.job());
  if (!there) return there.error();
  const Attempt attempt = peers::attempt_of(told.attempt());
  const std::string host = id_of(told.attempt().lent_host(), cluster);
  answered(cluster, attempt);
  if (told.attempt().part()) return take_part_state(cluster, told, *there), Result<void>{};
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || !sched::placed(job->status()) || job->record.attempt() != attempt.number ||
      job->record.hosts(0).name() != host || sched::pending(there->status()))
    return {};
  follow(host, *job, *there);
  return {};
}

void LeaseIn::follow(const std::string& host, const sched::Job& job, const wire::JobElsewhere& there) {
  const Attempt attempt{job.key(), job.record.attempt()};
  if (there.pid() != 0 && (!job.record.started() || job.record.pid() != there.pid()))
    handler_.told(host, report::Running{attempt, there.pid(), there.pgid(), job.asked->uid(),
                                        there.exec_user(), there.exec_home(), there.exec_cwd()});
  if (there.has_usage()) handler_.told(host, report::Used{attempt, there.usage()});
  // An order of ours that is still on its way says what the job will be.
  if (there.signal_number() < job.record.signal_number()) return;
  if (there.status() == wire::STATUS_USUSP || there.status() == wire::STATUS_SSUSP)
    handler_.told(host, report::Stopped{attempt});
  else if (there.status() == wire::STATUS_RUN)
    handler_.told(host, report::Resumed{attempt});
}

Result<void> LeaseIn::take_over(const std::string& cluster, const wire::ForwardOver& told) {
  if (auto checked = check(told.attempt()); !checked) return checked;
  const auto over = peers::believed(told);
  if (!over) return over.error();
  const Attempt attempt = peers::attempt_of(told.attempt());
  if (told.attempt().part()) take_part_over(cluster, *over);
  const std::string host = id_of(told.attempt().lent_host(), cluster);
  if (!told.attempt().part()) {
    handler_.told(host, peers::over_of(*over));
    if (const auto post = peers::post_over_of(*over)) handler_.told(host, *post);
    answered(cluster, attempt);
  }
  for (const auto& [id, one] : leases_)  // fewer slots are in use
    if (id.provider == cluster && !one.placeable()) answers_.insert(id);
  handler_.plan_soon();
  return {};
}

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

// Slots of parts that have not ended there. A job that has its part in use again counts by itself.
int LeaseIn::ending_on(const std::string& cluster, const std::string& host) const {
  std::int64_t slots = 0;
  for (const auto& [part, ending] : ending_) {
    if (part.first != cluster) continue;
    if (const auto on = ending.slots.find(host); on != ending.slots.end()) slots += on->second;
  }
  return static_cast<int>(std::min<std::int64_t>(slots, peers::kMostLeasedSlots));
}

lease::JobsNow LeaseIn::jobs_of(const Lease& of) const {
  lease::JobsNow now;
  now.unanswered = !knows(of.id.provider);
  for (const auto& [attempt, start] : starts_)
    now.unanswered = now.unanswered || (start.lease == of.id && start.under < of.number);
  now.any = !uses(of).empty();
  return now;
}

void LeaseIn::step(const LeaseId& id, const lease::ConsumerEvent& event) {
  Lease& of = leases_.at(id);
  for (const auto& one : lease::step(of, event, jobs_of(of))) {
    if (std::holds_alternative<lease::effect::Answer>(one)) {
      answers_.insert(id);
      handler_.turn_soon();
    } else {
      handler_.say(id.provider, peers::answer_of(of, of.number, {}));  // no job of ours is left there
      answers_.erase(id);
      log_.notice("lease " + lease::text(id) + " is over");
      leases_.erase(id);
      return;
    }
  }
}

std::vector<lease::LeaseReport> LeaseIn::reports() const {
  std::vector<lease::LeaseReport> reports;
  for (const auto& [id, one] : leases_) {
    lease::LeaseReport& report = reports.emplace_back();
    report.id = id;
    report.cluster = id.provider;
    report.imports = true;
    report.connected = knows(id.provider);
    report.phase = one.phase;
    report.number = one.number;
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

void LeaseIn::flush() {
  for (const LeaseId& id : std::exchange(answers_, {})) {
    const auto found = leases_.find(id);
    if (found == leases_.end() || !peers_.contains(id.provider)) continue;
    const Lease& of = found->second;
    auto answer = peers::answer_of(of, lease::acknowledges(of, jobs_of(of)), uses(of));
    handler_.say(id.provider, std::move(answer));
  }
}

void LeaseIn::planned(const sched::cycle::Snapshot& snapshot) {
  std::vector<LeaseId> wanted;
  for (const auto& [id, one] : leases_) {
    if (one.wants || one.phase == lease::Phase::returned) continue;
    const auto& rules = snapshot.rules();
    for (const auto demand : snapshot.waiting_demands()) {
      const auto& asked = snapshot.demand(demand);
      const auto queue = rules.queue(asked.queue);
      if (!queue || rules.queues[*queue].row == nullptr) continue;
      if (!lease::could_use(rules.queues[*queue].row->hosts, asked.asked_hosts, id.provider)) continue;
      wanted.push_back(id);
      break;
    }
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

// Where two leases have slots of one host, those of the first are used.
void LeaseIn::borrow() {
  std::map<HostId, sched::HostOnLease> hosts;
  for (const auto& [id, one] : leases_) {
    const auto peer = peers_.find(id.provider);
    for (const auto& has : one.hosts) {
      const HostId host(id_of(has.host, id.provider));
      if (has.slots == 0 || hosts.contains(host)) continue;
      sched::HostOnLease to;
      to.unavailable = knows(id.provider);  // it has told of no load yet
      if (peer != peers_.end())
        if (const auto load = peer->second.loads.find(has.host); load != peer->second.loads.end())
          to = load->second;
      to.id = host;
      to.share = {std::max(0, has.slots - ending_on(id.provider, has.host)), has.whole,
                  has.memory_mb ? std::optional<double>(*has.memory_mb) : std::nullopt,
                  has.swap_mb ? std::optional<double>(*has.swap_mb) : std::nullopt};
      to.unreachable = to.unreachable || !knows(id.provider);
      to.inactive = !one.placeable();
      hosts.emplace(host, std::move(to));
    }
  }
  sched::BorrowedNames names;
  std::vector<sched::HostOnLease> list;
  std::vector<std::string> fresh;
  for (auto& [host, on_lease] : hosts) {
    names.insert(host);
    if (knows(std::string(host.cluster())) && !came_.contains(host.text())) fresh.push_back(host.text());
    list.push_back(std::move(on_lease));
  }
  hosts_.borrowed(std::move(names));
  for (const std::string& name : keeper_.borrow(std::move(list)))
    if (unknown_.size() < 1000 && unknown_.insert(name).second)
      log_.warning("resource " + printable(name) +
                   " of a borrowed host is not in lsf.shared here: it is ignored");
  for (const std::string& host : fresh) {
    came_.insert(host);
    handler_.told(host, report::HostCame{});
  }
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
  if (order.asked->interactive() != wire::Submission::NONE)
    return refuse(report::Over::How::not_started,
                  "interactive jobs do not use borrowed hosts in this release");
  const Lease* of = lease_of(id);
  if (!of || !of->placeable()) return refuse(report::Over::How::refused, "the lease has changed");
  if (std::any_of(order.hosts.begin(), order.hosts.end(),
                  [&](const auto& each) { return lease_of(HostId(each.name())) != of; }))
    return refuse(report::Over::How::not_started,
                  "a job on hosts of several leases is not started in this release");
  wire::PeerMessage message = peers::offer_of(order);
  auto& offer = *message.mutable_offer();
  *offer.mutable_attempt() = named(order.attempt, host);
  offer.clear_queue();
  auto& asked = *offer.mutable_asked();
  // The effective values: the provider knows neither our queues nor our profiles.
  *asked.mutable_limits() = order.limits;
  asked.set_pre_exec(order.pre_exec);
  asked.set_post_exec(order.post_exec);
  if (const auto range = sched::jobs::range_of(*order.asked, order.attempt.job.index)) {
    offer.set_index_step(range->step);
    offer.set_index_end(range->end);
  }
  peers::propose(peers::proposed(user_map_of(configuration_->files), cluster, order.asked->user()), offer);
  for (const auto& each : order.hosts) {
    auto& lent = offer.has_lent() ? *offer.add_more_lent() : *offer.mutable_lent();
    lent.set_lease(of->id.number);
    lent.mutable_under()->set_term(of->number.term);
    lent.mutable_under()->set_counter(of->number.counter);
    lent.set_host(std::string(HostId(each.name()).host()));
    lent.set_slots(static_cast<std::int32_t>(each.slots()));
    lent.set_queue(order.queue);
  }
  starts_[{cluster, order.attempt}] = {of->id, of->number};
  handler_.say(cluster, std::move(message));
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
  wire::PeerMessage message = peers::signal_of(order);
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
  if (const auto part = part_at(provider_of(host), attempt); !part.empty()) {
    if (part.front().name() == host) release_part(provider_of(host), attempt, part);
    return;
  }
  if (is_other_host(host, attempt)) return;
  wire::PeerMessage message = peers::recall_of(attempt);
  *message.mutable_recall()->mutable_attempt() = named(attempt, host);
  handler_.say(provider_of(host), std::move(message));
}

}  // namespace rollcall::mbatchd
