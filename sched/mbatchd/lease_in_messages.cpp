// LeaseIn: what providers say, of their leases and of attempts on their hosts.
#include <algorithm>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/io/local_time.hpp"
#include "sched/mbatchd/borrowed_host.hpp"
#include "sched/mbatchd/lease_in.hpp"
#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
namespace report = sched::report;
using sched::Attempt;
using sched::JobKey;

constexpr std::size_t kPackAfter = 1000;     // jobs that a greeting names
constexpr std::size_t kMostLeases = 10'000;  // of one provider
constexpr std::size_t kMostEnds = 10'000;    // of one provider, not committed yet
constexpr std::size_t kMostHeld = 200'000;   // attempts on lent hosts of one provider
constexpr std::size_t kMostHeldBytes = std::size_t{256} << 20;
constexpr std::size_t kMostLoadBytes = std::size_t{128} << 20;  // of one report: more than 6 KB for each host
constexpr std::size_t kMostHostsOfLeases = 2 * peers::kMostLeasedHosts;  // of all leases of one provider

bool is_unheard(wire::JobStatus status) {
  return status == wire::STATUS_UNKWN || status == wire::STATUS_ZOMBI;
}

Result<void> check(const wire::ForwardAttempt& attempt) {
  if (auto checked = peers::check(attempt); !checked) return checked;
  if (host_name(attempt.lent_host())) return {};
  return internal_error("found an attempt on a host with a malformed name, expected a host name");
}

}  // namespace

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
      if (const LeaseId id{cluster, message.lease_over().lease()}; leases_.contains(id)) {
        step(id, lease::event::Unlisted{});
        borrow_soon();
      }
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
  if (const auto known = leases_.find(id);
      known != leases_.end() && !lease::is_news(known->second, lease_told->told)) {
    answers_.insert(id);
    handler_.turn_soon();
    return {};
  }
  if (!leases_.contains(id)) {
    const auto of_it = std::count_if(leases_.begin(), leases_.end(),
                                     [&](const auto& one) { return one.first.provider == cluster; });
    if (of_it >= static_cast<std::ptrdiff_t>(kMostLeases))
      return internal_error("found more than " + std::to_string(kMostLeases) + " leases, expected fewer");
  }
  std::size_t count = lease_told->told.hosts.size() + lease_told->told.resources.size();
  for (const auto& [other, one] : leases_)
    if (other.provider == cluster && other != id) count += one.hosts.size() + one.resources.size();
  if (count > kMostHostsOfLeases)
    return internal_error("found more than " + std::to_string(kMostHostsOfLeases) +
                          " hosts and resources in the leases of one cluster, expected fewer");
  if (!leases_.contains(id)) {
    leases_[id].id = id;
    handler_.plan_soon();  // a job that waits already may use it
  }
  const auto phase = leases_.at(id).phase;
  step(id, lease_told->told);
  if (const auto now = leases_.find(id); now != leases_.end() && now->second.phase != phase) {
    log_change(cluster, "lease " + lease::text(id) + ": " + std::string(lease::text(phase)) + " -> " +
                            std::string(lease::text(now->second.phase)) + ", grant " +
                            lease::text(now->second.number));
    handler_.plan_soon();
  }
  borrow_soon();
  return {};
}

void LeaseIn::take_listed(const std::string& cluster, const wire::LeasesTold& told) {
  const std::set<std::uint64_t> listed(told.leases().begin(), told.leases().end());
  std::vector<LeaseId> over;
  for (const auto& [id, one] : leases_)
    if (id.provider == cluster && !listed.contains(id.number)) over.push_back(id);
  for (const LeaseId& id : over) step(id, lease::event::Unlisted{});
  if (!over.empty()) borrow_soon();
}

Result<void> LeaseIn::take_loads(const std::string& cluster, const wire::LeaseLoads& told) {
  auto hosts = peers::believed(told);
  if (!hosts) return hosts.error();
  Peer& peer = peers_.at(cluster);
  auto& coming = peer.coming;
  coming.bytes += told.ByteSizeLong();
  if (coming.hosts.size() + hosts->size() > kMostHostsOfLeases || coming.bytes > kMostLoadBytes)
    return internal_error("loads of leased hosts: found more than " + std::to_string(kMostHostsOfLeases) +
                          " hosts or " + std::to_string(kMostLoadBytes >> 20) + " MB, expected less");
  std::move(hosts->begin(), hosts->end(), std::back_inserter(coming.hosts));
  if (told.more()) return {};
  ComingLoads all = std::exchange(coming, {});
  auto& loads = peer.loads;
  loads.clear();
  auto& places = peer.places;
  places.clear();
  for (auto& host : all.hosts) {
    if (!host.addresses.empty()) places[host.host] = {std::move(host.addresses), host.port};
    loads[host.host] = {std::move(host.told), std::move(host.age_ms), std::move(host.beyond),
                        std::move(host.status), io::wall_now()};
  }
  borrow_soon();
  handler_.named();
  handler_.plan_soon();
  return {};
}

// The attempt may have been started by us at the cluster, and not be over there as far as we know.
bool LeaseIn::may_be_ours(const std::string& cluster, const wire::ForwardAttempt& told) const {
  const sched::Job* job = jobs_.find(sched::key_of(told.key()));
  if (!job || peers::is_another(job, told) || told.attempt() > job->record.attempt()) return false;
  const auto& hosts = job->record.hosts();
  return told.attempt() < job->record.attempt() || hosts.empty() ||
         std::any_of(hosts.begin(), hosts.end(),
                     [&](const auto& host) { return provider_of(host.name()) == cluster; });
}

std::size_t LeaseIn::kept_of(const std::string& cluster) const {
  const auto peer = peers_.find(cluster);
  return peer == peers_.end() ? 0 : peer->second.named.size();
}

// Of a provider's greeting only what may be ours is kept until the last part: each attempt once, so no more than we have started.
Result<void> LeaseIn::take_held(const std::string& cluster, const wire::ForwardHeld& part) {
  Peer& peer = peers_.at(cluster);
  if (peer.greeted) return {};
  peer.held_bytes += part.ByteSizeLong();
  std::vector<wire::PeerMessage> strangers;
  const auto is_named = [&peer](const wire::ForwardAttempt& told) {
    return !peer.named.emplace(peers::attempt_of(told), told.part()).second;
  };
  std::size_t looked_at = 0;
  const auto looked = [&] {
    if (++looked_at % kPackAfter == 0) jobs_.pack();
  };
  for (const auto& state : part.running()) {
    looked();
    const auto told = peers::believed(state.job());
    if (!check(state.attempt()) || !told) continue;
    // We start jobs on hosts of its leases alone.
    if (!may_be_ours(cluster, state.attempt()) || !has_host(cluster, state.attempt().lent_host())) {
      strangers.push_back(peers::end_of_stranger(state));
    } else if (!is_named(state.attempt())) {
      auto& one = *peer.held.add_running();
      one = state;
      *one.mutable_job() = *told;
    }
  }
  for (const auto& over : part.over()) {
    looked();
    if (!check(over.attempt())) continue;
    if (of_no_job(over.attempt()) || !may_be_ours(cluster, over.attempt()))
      acknowledge_end(cluster, over.attempt());
    else if (!is_named(over.attempt()))
      *peer.held.add_over() = over;
  }
  if (peer.held_bytes > kMostHeldBytes || peer.named.size() > kMostHeld)
    return internal_error("found attempts on lent hosts without end, expected at most " +
                          std::to_string(kMostHeld) + ", in " + std::to_string(kMostHeldBytes >> 20) + " MB");
  if (part.last()) greeted(cluster);
  for (auto& message : strangers) handler_.say(cluster, std::move(message));  // may end the connection
  return {};
}

// Every host with a job of ours or of a lease is there now. A job that the provider does not name has not arrived there.
void LeaseIn::greeted(const std::string& cluster) {
  Peer& peer = peers_.at(cluster);
  peer.greeted = true;
  const wire::ForwardHeld held = std::exchange(peer.held, {});
  peer.named.clear();
  std::erase_if(starts_, [&](const auto& one) { return one.first.first == cluster; });
  erase_endings([&](const OfProvider& one) { return one.first == cluster; });
  std::erase_if(parts_, [&](const auto& one) { return one.first.second == cluster; });
  std::map<std::string, wire::ForwardHeld> by_host;
  std::map<std::string, std::vector<report::Held>> parts;
  wire::ForwardHeld of_parts;  // and ends on hosts where nothing of ours can be
  for (const auto& state : held.running()) {
    auto& here = by_host[id_of(state.attempt().lent_host(), cluster)];
    if (!state.attempt().part()) {
      *here.add_running() = state;
      continue;
    }
    *of_parts.add_running() = state;
    // One that is not prepared yet is offered again, and answered with how it stands then.
    for (const auto& host : state.job().hosts())
      if (state.prepared() && has_host(cluster, host.name()))
        parts[id_of(host.name(), cluster)].push_back(
            {peers::attempt_of(state.attempt()), report::Held::State::expected, false});
  }
  for (const auto& over : held.over())
    *(over.attempt().part() || !concerns_us(cluster, over.attempt())
          ? &of_parts
          : &by_host[id_of(over.attempt().lent_host(), cluster)])
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
  if (!by_host.empty()) handler_.told(by_host.begin()->first, report::PartsTold{});
  borrow();
  for (const auto& [id, one] : leases_)
    if (id.provider == cluster) answers_.insert(id);
  handler_.plan_soon();
}

// A part has no record of its own there: what follows from its end is for LeaseIn.
bool LeaseIn::of_no_job(const wire::ForwardAttempt& told) const {
  const sched::Job* job = jobs_.find(sched::key_of(told.key()));
  return told.part() ? peers::is_another(job, told) : peers::is_stale(job, told);
}

void LeaseIn::answered(const std::string& cluster, const Attempt& attempt) {
  const auto found = starts_.find({cluster, attempt});
  if (found == starts_.end()) return;
  const Start start = std::move(found->second);
  starts_.erase(found);
  for (const auto& [id, under] : start)
    if (leases_.contains(id)) step(id, lease::event::Answered{});
}

Result<void> LeaseIn::take_state(const std::string& cluster, const wire::ForwardState& told) {
  if (auto checked = check(told.attempt()); !checked) return checked;
  const auto there = peers::believed(told.job());
  if (!there) return there.error();
  if (peers::is_another(jobs_.find(sched::key_of(told.attempt().key())), told.attempt())) return {};
  const Attempt attempt = peers::attempt_of(told.attempt());
  const std::string host = id_of(told.attempt().lent_host(), cluster);
  answered(cluster, attempt);
  if (told.attempt().part()) return take_part_state(cluster, told, *there), Result<void>{};
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || !sched::placed(job->status()) || job->record.attempt() != attempt.number ||
      job->record.hosts(0).name() != host || sched::pending(there->status()))
    return {};
  follow(host, *job, *there);
  if (!told.terminal()) return {};
  // No port and no key: its bsub reaches the terminal by way of the two masters (docs/decisions/0094).
  report::Ready ready{attempt, {}};
  ready.stream.set_host(host);
  handler_.told(host, ready);
  return {};
}

void LeaseIn::follow(const std::string& host, const sched::Job& job, const wire::JobElsewhere& there) {
  const Attempt attempt{job.key(), job.record.attempt()};
  if (there.signal_number() != 0) handler_.told(host, report::CarriedOut{attempt, there.signal_number()});
  if (there.pid() != 0 && (!job.record.started() || job.record.pid() != there.pid()))
    handler_.told(host, report::Running{attempt, there.pid(), there.pgid(), job.asked->uid(),
                                        there.exec_user(), there.exec_home(), there.exec_cwd()});
  if (there.has_usage()) handler_.told(host, report::Used{attempt, there.usage()});
  const bool stopped = there.status() == wire::STATUS_USUSP || there.status() == wire::STATUS_SSUSP;
  if (is_unheard(there.status())) return handler_.told(host, report::Unheard{attempt});
  if (is_unheard(job.status())) {
    handler_.told(host, report::HeardAgain{attempt, stopped});
    if (is_unheard(job.status())) return;  // it waits: NewsPace
  }
  // An order of ours that is still on its way says what the job will be.
  if (there.signal_number() < job.record.signal_number()) return;
  const bool by_administrator = there.status() == wire::STATUS_USUSP &&
                                (there.suspend_reasons() & wire::SUSPEND_ADMIN) != 0 &&
                                !job.record.stopped_by_admin();
  if (stopped && by_administrator != sched::jobs::stopped_by_provider(job.record))
    handler_.told(host, report::Elsewhere{attempt, there});
  else if (stopped)
    handler_.told(host, report::Stopped{attempt});
  else if (there.status() == wire::STATUS_RUN)
    handler_.told(host, report::Resumed{attempt});
}

// It is told until it is acknowledged, so not before what follows from it is committed.
void LeaseIn::acknowledge_end(const std::string& cluster, const wire::ForwardAttempt& attempt) {
  auto& ends = acknowledged_[cluster];
  if (ends.size() < kMostEnds)
    ends.try_emplace(attempt.SerializeAsString(), attempt);  // the provider repeats the rest
  handler_.turn_soon();
}

Result<void> LeaseIn::take_over(const std::string& cluster, const wire::ForwardOver& told) {
  if (auto checked = check(told.attempt()); !checked) return checked;
  const auto over = peers::believed(told);
  if (!over) return over.error();
  const Attempt attempt = peers::attempt_of(told.attempt());
  if (of_no_job(told.attempt())) {
    acknowledge_end(cluster, told.attempt());
    if (!told.attempt().part()) answered(cluster, attempt);
    return {};
  }
  if (told.attempt().part()) take_part_over(cluster, *over);
  if (!told.attempt().part() && !concerns_us(cluster, told.attempt())) {
    acknowledge_end(cluster, told.attempt());
    return answered(cluster, attempt), Result<void>{};
  }
  const std::string host = id_of(told.attempt().lent_host(), cluster);
  if (!told.attempt().part()) {
    report::Over end = peers::over_of(*over);
    if (!over->due_to_host().empty()) end.due_to = id_of(over->due_to_host(), cluster);
    handler_.told(host, end);
    if (const auto post = peers::post_over_of(*over)) handler_.told(host, *post);
    answered(cluster, attempt);
  }
  ended_at_.insert(cluster);
  borrow_soon();  // it may have held instances of a lease on a host that has left
  handler_.plan_soon();
  return {};
}

}  // namespace rollcall::mbatchd
