#include "sched/mbatchd/lease_out.hpp"

#include <algorithm>
#include <tuple>

#include "common/base/host_list.hpp"
#include "common/io/local_time.hpp"
#include "sched/mbatchd/lease_jobs.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/peers/lease_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace lease = sched::lease;
namespace peers = sched::peers;
using sched::JobKey;

constexpr const char* kLeaseRow = "lease";
constexpr const char* kWrittenOffRow = "consumer";  // by its name; an older release ignores it
constexpr const char* kWrittenOff = "written off";
constexpr Duration kShortestReclaim = std::chrono::seconds(5);  // MC_RECLAIM_DELAY=0
// For a cluster to requeue a job whose part is recalled. Slots change hands only when RES says that nothing is left, whoever ends it.
constexpr Duration kRecallPatience = std::chrono::seconds(60);
constexpr Duration kAskAgain = std::chrono::seconds(5);  // a host with jobs that the Book does not know

std::set<JobKey> attempts_of(const sched::book::JobTable& jobs, const lease::LeaseOfPolicy& of) {
  std::set<JobKey> keys;
  for (const auto& host : of.lease.hosts)
    for (const JobKey key : jobs.on_host(host.has.host))
      if (const sched::Job* job = jobs.find(key);
          job && lease_on(job->record, host.has.host) == of.lease.id.number)
        keys.insert(key);
  return keys;
}

}  // namespace

bool LeaseOut::load(const io::StoredControl& row) {
  if (row.kind == kWrittenOffRow) return written_off_.insert(row.name), true;
  if (row.kind != kLeaseRow) return false;
  wire::LeaseRow read;
  auto known = read.ParseFromString(row.value) ? peers::lease_of(read, {}) : std::nullopt;
  if (known)
    leases_[known->lease.id.number] = std::move(*known);
  else
    unread_.push_back(row.name);
  return true;
}

// Slots of a lease that is not known would be given to jobs of ours beside the consumer's.
Result<void> LeaseOut::begin() const {
  if (unread_.empty()) return {};
  return internal_error("the row of lease " + printable(unread_.front()) +
                        " in the store cannot be read: slots that it has lent would be used twice");
}

void LeaseOut::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  const auto& files = configuration_->files;
  const std::string& own = files.cluster->settings.cluster;
  for (auto& [number, one] : leases_) one.lease.id.provider = own;
  const auto official = [&](std::string_view name) { return files.cluster->names.official(name); };
  policies_ =
      lease::without_refused(lease::export_policies(files.lsb->resources.host_exports, own, official));
  added_slots_ = lease::added_slots(policies_);
  left_out_.clear();  // it has places of policies_
  next_reclaim_.reset();
  export_due_ = true;
  take_from_own_hosts();
}

// ---------------------------------------------------------------- hosts of ours

void LeaseOut::host_came(const std::string& host, const sched::report::HostCame& came) {
  export_due_ = advance_due_ = true;
  for (auto& [cluster, peer] : peers_) peer.loads = true;  // where the host is reached
  // At once: the orders that follow are under these grants.
  const auto all = leases_by_host();
  const auto here = all.find(host);
  const bool unknown_jobs = std::any_of(came.jobs.begin(), came.jobs.end(), [&](const auto& held) {
    return held.lent && held.state != sched::report::Held::State::over && !runs_on(host, held.attempt);
  });
  fences_.came(host, here == all.end() ? lease::GrantNumbers{} : here->second, unknown_jobs);
  take_unknown_jobs();
}

bool LeaseOut::runs_on(const std::string& host, const sched::Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  return job && sched::placed(job->status()) && job->record.attempt() == attempt.number &&
         std::any_of(job->record.hosts().begin(), job->record.hosts().end(),
                     [&](const auto& on) { return on.name() == host; });
}

// The snapshot gets the hosts with unknown jobs, so that no job of this cluster is dispatched there.
void LeaseOut::take_unknown_jobs() {
  if (taken_unknown_ == fences_.with_unknown_jobs()) return;
  taken_unknown_ = fences_.with_unknown_jobs();
  take_from_own_hosts();
}

void LeaseOut::held(const std::string& host, const lease::GrantsOnHost& answer) {
  if (!fences_.answered(host, answer, [&](const auto& attempt) { return runs_on(host, attempt); })) return;
  take_unknown_jobs();
  if (!fences_.heard(host))
    log_.warning("RES of " + host + ": " +
                 (answer.why_not.empty() ? "it has jobs on lent slots that are not known here: they are ended"
                                         : printable(answer.why_not)));
  std::vector<std::pair<std::uint64_t, lease::GrantNumber>> larger;
  for (const auto& [of, number] : answer.newest)
    if (const auto found = leases_.find(of); found != leases_.end() && number > found->second.lease.number)
      larger.emplace_back(of, number);
  for (const auto& [of, there] : larger)
    if (!step(of, lease::event::OnDisk{there})) put_off_[of].add({{}, false, there});
  if (fences_.heard(host)) known_hosts_.insert(host);
  advance_due_ = ask_due_ = true;
  handler_.plan_soon();
}

lease::GrantNumbers LeaseOut::grants_of(const std::string& host, const sched::Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || !sched::on_lent_slots(job->record)) return {};
  // Of a lease that is over RES takes no start.
  const std::uint64_t number = lease_on(job->record, host);
  const auto of = leases_.find(number);
  return {{number, of == leases_.end() ? lease::GrantNumber{} : of->second.lease.number}};
}

LeaseFences::ByHost LeaseOut::leases_by_host() const {
  LeaseFences::ByHost by_host;
  for (const auto& [number, one] : leases_)
    for (const auto& lent : one.lease.hosts) by_host[lent.has.host][number] = one.lease.number;
  return by_host;
}

void LeaseOut::host_gone(const std::string& host) {
  fences_.gone(host);
  for (auto& [cluster, peer] : peers_) peer.loads = true;
}

void LeaseOut::load_came() {
  load_at_ = steady_now();
  for (const auto& [number, answer] : std::exchange(put_off_, {})) answers_[number].add(answer);
  hosts_changed();
}

// The values are as old as before.
void LeaseOut::hosts_changed() {
  export_due_ = true;
  counted_.reset();  // memory that jobs use
  for (auto& [cluster, peer] : peers_) peer.loads = true;
}

// ---------------------------------------------------------------- shared leases

std::optional<TimePoint> LeaseOut::next_tick() const {
  std::optional<TimePoint> next = next_ask_;
  const auto until = [&next](TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (next_reclaim_) until(*next_reclaim_);
  for (const auto& [key, due] : asked_back_) until(due);
  return next;
}

void LeaseOut::tick(TimePoint now) {
  end_recalled(now);
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
    divisions_[number] = lease::reclaim_reason(lease::idle_slots(hosts), division.to);
    if (division.to == lease::Division::To::nobody) return;
    has = division.consumer_has;
    log_.notice("lease " + lease::text(of.lease.id) + ": " + divisions_.at(number));
  }
  lease::event::Divided divided;
  for (std::size_t i = 0; i < hosts.size(); ++i) divided.consumer_has[of.lease.hosts[i].has.host] = has[i];
  step(number, divided);
}

void LeaseOut::changed(const std::set<JobKey>& jobs) {
  if (!jobs.empty()) advance_due_ = true;
}

std::vector<const LeaseOut::Lease*> LeaseOut::all() const {
  std::vector<const Lease*> all;
  for (const auto& [number, one] : leases_) all.push_back(&one);
  return all;
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

// If the commit fails, it is tried again when the next load comes: else a restart would write off a consumer that has come back.
void LeaseOut::keep_written_off(const std::string& cluster) {
  io::StoreBatch batch;
  batch.controls.push_back({kWrittenOffRow, cluster, is_written_off(cluster) ? kWrittenOff : ""});
  const auto kept = store_.commit(batch);
  if (!kept) log_.error(kept.error().text + "; whether cluster " + cluster + " is written off is kept later");
  if (kept)
    not_kept_.erase(cluster);
  else
    not_kept_.insert(cluster);
}

lease::HostsNow LeaseOut::hosts_now(const Lease& of, const std::map<std::string, lease::OwnHost>& own) const {
  auto now = lease::hosts_now(of, all(), own, added_slots_, attempts());
  for (auto& [host, here] : now) here.fenced = fences_.on_disk(host, of.lease.id.number);
  return now;
}

bool LeaseOut::step(std::uint64_t number, const lease::ProviderEvent& event) {
  Lease next = leases_.at(number);
  ++steps_;
  next.lease.written_off = written_off_.contains(next.lease.consumer);
  const std::string before = peers::row_of(next).SerializeAsString();
  const auto own = own_hosts();
  const auto now = hosts_now(next, own);
  const auto phase = next.lease.phase;
  const auto resources = lease::resources_now(next, all(), instances(), own, held_by_attempts());
  const auto effects = lease::step(next.lease, event, now, store_.term(), resources);
  const bool differs = unwritten_.contains(number) || peers::row_of(next).SerializeAsString() != before;
  if (differs && !keep(number, &next)) {
    export_due_ = advance_due_ = true;  // tried again
    return false;
  }
  leases_.at(number) = std::move(next);
  unwritten_.erase(number);
  if (differs) counted_.reset(), handler_.plan_soon();
  ask_due_ = true;
  if (const auto& one = leases_.at(number).lease; one.phase != phase)
    log_.notice("lease " + lease::text(one.id) + " of cluster " + one.consumer + ": " +
                std::string(lease::text(phase)) + " -> " + std::string(lease::text(one.phase)) + ", grant " +
                lease::text(one.number));
  note_remarks(number, own);
  carry_out(number, effects);
  return true;
}

void LeaseOut::note_remarks(std::uint64_t number, const std::map<std::string, lease::OwnHost>& own) {
  const Lease& of = leases_.at(number);
  if (!of.shared()) divisions_.erase(number);  // its policy was shared before
  const lease::LeaseRemarks remarks{of.shared(), lease::awaited_slots(of, own)};
  // Not remarks_of(): what was never noted is what is so now, and the consumer has been told what was so before.
  const auto noted = remarks_.find(number);
  if (noted != remarks_.end() && noted->second == remarks) return;
  remarks_[number] = remarks;
  const auto peer = peers_.find(of.lease.consumer);
  if (peer == peers_.end()) return;
  peer->second.stands.insert(number);
  handler_.turn_soon();
}

lease::LeaseRemarks LeaseOut::remarks_of(std::uint64_t number) const {
  const auto remarks = remarks_.find(number);
  return remarks == remarks_.end() ? lease::LeaseRemarks{leases_.at(number).shared(), 0} : remarks->second;
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
    } else if (const auto* holders = std::get_if<effect::KillHolders>(&one)) {
      kill_holders(of, holders->resource, holders->instances);
    } else if (const auto* fence = std::get_if<effect::Fence>(&one)) {
      fences_.wants(fence->host, number);
    } else if (std::holds_alternative<effect::Forget>(one)) {
      if (!keep(number, nullptr)) continue;  // it is acknowledged again
      log_.notice("lease " + lease::text(of.lease.id) + " of cluster " + of.lease.consumer + " is over");
      leases_.erase(number);
      exported_.erase(number);
      divisions_.erase(number);
      remarks_.erase(number);
      handler_.plan_soon();
      break;
    }
  }
  if (!effects.empty()) handler_.turn_soon();
}

namespace {

// Why a policy takes back what jobs of the consumer have. `one`: of the lease; its hosts and resources are those of the policy now.
std::string why_taken(const lease::ProviderLease& one, const lease::LentHost& host) {
  if (one.withdrawn) return "the policy that exported host " + host.has.host + " is gone";
  return host.wanted > 0 ? "fewer slots of host " + host.has.host + " are exported"
                         : "host " + host.has.host + " is no longer exported";
}
std::string why_taken(const lease::ProviderLease& one, const lease::LentResource& resource) {
  if (one.withdrawn) return "the policy that exported resource " + resource.has.name + " is gone";
  return resource.wanted > 0 ? "fewer instances of resource " + resource.has.name + " are exported"
                             : "resource " + resource.has.name + " is no longer exported";
}

// Jobs that are being ended already, then the most recently started ones.
void sort_by_end(std::vector<const sched::Job*>& jobs) {
  const auto place = [](const sched::Job* job) {
    return std::tuple(job->record.from().withdrawn(), job->record.start_us(), job->key());
  };
  std::sort(jobs.begin(), jobs.end(), [&](const auto* a, const auto* b) { return place(a) > place(b); });
}

}  // namespace

// A parallel job that was ended for another host gives back what it has here, too.
void LeaseOut::kill(const Lease& of, const std::string& host, int slots) {
  std::vector<const sched::Job*> there;
  for (const JobKey key : jobs_.on_host(host)) {
    const sched::Job* job = jobs_.find(key);
    if (job && lease_on(job->record, host) == of.lease.id.number) there.push_back(job);
  }
  sort_by_end(there);
  std::vector<JobKey> ended;
  for (const sched::Job* job : there) {
    if (slots <= 0) break;
    slots -= slots_on(job->record, host);
    ended.push_back(job->key());
  }
  for (const lease::LentHost& lent : of.lease.hosts)
    if (lent.has.host == host) return recall(ended, why_taken(of.lease, lent));
}

void LeaseOut::kill_holders(const Lease& of, const std::string& resource, int instances) {
  std::vector<const sched::Job*> there;
  for (const JobKey key : attempts_of(jobs_, of))
    if (const sched::Job* job = jobs_.find(key); reserved_by(job->record, resource) > 0) there.push_back(job);
  sort_by_end(there);
  std::vector<JobKey> ended;
  double left = instances;
  for (const sched::Job* job : there) {
    if (left <= 0) break;
    left -= reserved_by(job->record, resource);
    ended.push_back(job->key());
  }
  for (const lease::LentResource& lent : of.lease.resources)
    if (lent.has.name == resource) return recall(ended, why_taken(of.lease, lent));
}

void LeaseOut::recall(const std::vector<JobKey>& ended, const std::string& why) {
  // A cluster that is not connected is asked when it is.
  using Recall = sched::book::ForwardedJobs::Recall;
  for (const JobKey key : ended) {
    handler_.changed(forwards_.recall_lent(key, why, io::wall_now(), Recall::asks));
    if (const sched::Job* job = jobs_.find(key);
        job && sched::is_part(job->record) && !job->record.from().releasing())
      asked_back_.try_emplace(key, steady_now() + kRecallPatience);
  }
}

void LeaseOut::end_recalled(TimePoint now) {
  std::vector<JobKey> ended;
  for (const auto& [key, due] : asked_back_)
    if (due <= now) ended.push_back(key);
  for (const JobKey key : ended) {
    asked_back_.erase(key);
    handler_.changed(forwards_.recall_lent(key, "its slots are taken back from the lease", io::wall_now()));
  }
}

void LeaseOut::advance() {
  std::vector<std::uint64_t> waiting;
  for (const auto& [number, one] : leases_)
    if (lease::waits(one.lease)) waiting.push_back(number);
  for (const std::uint64_t number : waiting)
    if (leases_.contains(number)) step(number, lease::event::Changed{});
}

void LeaseOut::take_from_own_hosts() {
  const auto own = instances();
  const auto lent = lease::lent_instances(all(), own, held_by_attempts());
  std::vector<double> by_place(own.empty() ? 0 : keeper_.snapshot().rules().own_shared);
  for (std::size_t i = 0; i < own.size(); ++i) by_place[own[i].place] = lent[i];
  auto hosts = lease::lent_hosts(all(), attempts());
  for (const std::string& host : taken_unknown_) hosts[host].unknown_jobs = true;
  keeper_.lend(std::move(hosts), std::move(by_place));
}

// ---------------------------------------------------------------- the turn

void LeaseOut::flush() {
  for (const auto& [number, answer] : std::exchange(answers_, {}))
    if (!take(number, answer)) put_off_[number].add(answer);
  if (std::exchange(export_due_, false)) {
    for (const auto& cluster : std::exchange(not_kept_, {})) keep_written_off(cluster);
    export_all();
  }
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

}  // namespace rollcall::mbatchd
