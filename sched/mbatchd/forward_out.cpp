#include "sched/mbatchd/forward_out.hpp"

#include <algorithm>
#include <utility>

#include "common/resreq/resreq.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/cycle/forwardable.hpp"
#include "sched/policy/forward/forward_terms.hpp"
#include "sched/policy/forward/verdict_text.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/definitions.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/resreq_syntax.hpp"

namespace rollcall::mbatchd {
namespace {

namespace forward_policy = sched::forward;
namespace peers = sched::peers;
namespace report = sched::report;
using sched::Attempt;
using sched::HostId;
using sched::JobKey;

constexpr std::size_t kMostCandidates = 20'000;  // jobs of one pass
constexpr int kMostChoices = 1000;               // of one pass
constexpr int kMostHeld = 1'000'000;             // attempts that a cluster may say it holds
constexpr std::size_t kMostHeldBytes = std::size_t{1} << 30;
constexpr int kMostRefusals = 1000;     // of a cluster in one session: each is an event and a row of ours
constexpr int kMostComplaints = 20;     // lines of the log about one connection
constexpr int kMostDifferences = 1000;  // shown

std::string host_of(const std::string& cluster) { return HostId::whole_cluster(cluster).text(); }
std::string cluster_of(const std::string& host) { return std::string(HostId(host).cluster()); }

}  // namespace

void ForwardOut::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  clusters_.clear();
  for (const auto& peer : configuration_->peers.clusters) clusters_.push_back(peer.name);
  const auto& queues = configuration_->files.lsb->queues;
  sends_ = std::any_of(queues.begin(), queues.end(),
                       [](const auto& queue) { return !queue.send_jobs_to.empty(); });
}

// ---------------------------------------------------------------- the other cluster

void ForwardOut::serves(const std::string& cluster) {
  lost(cluster);
  gate_.serves(cluster);
  held_[cluster] = {};
  complaints_.erase(cluster);
  ++connections_[cluster];
}

void ForwardOut::lost(const std::string& cluster) {
  held_.erase(cluster);
  gate_.lost(cluster);
  applications_.erase(cluster);
  definitions_.erase(cluster);
  if (!queues_.connected(cluster)) return;
  queues_.connected(cluster, false);
  handler_.gone(host_of(cluster));
}

Result<void> ForwardOut::heard(const std::string& cluster, const wire::PeerMessage& message, TimePoint now) {
  using What = wire::PeerMessage::WhatCase;
  if (message.what_case() == What::kHeld) return take_held(cluster, message.held());
  if (!queues_.connected(cluster))
    return internal_error("found a message about a job before the last ForwardHeld, expected that first");
  Result<void> taken;
  switch (message.what_case()) {
    case What::kState:
      taken = take_state(cluster, message.state());
      break;
    case What::kOver:
      taken = take_over(cluster, message.over());
      break;
    case What::kFigures:
      take_figures(cluster, message.figures(), now);
      break;
    case What::kApplications:
      applications_[cluster] = peers::believed(message.applications());
      break;
    case What::kDefinitions:
      take_definitions(cluster, message.definitions());
      break;
    default:
      break;
  }
  if (!taken) complain(cluster, taken.error().text);
  return {};
}

void ForwardOut::take_definitions(const std::string& cluster, const wire::PeerDefinitions& told) {
  const auto& theirs = definitions_[cluster] = peers::believed(told);
  const auto lines = peers::differences(peers::definitions_of(configuration_->files.cluster->shared), theirs);
  if (!lines.empty())
    log_.warning("cluster " + cluster + " lends hosts, and " + std::to_string(lines.size()) +
                 " definitions of lsf.shared differ, as bclusters -l shows: " + lines.front());
}

Result<void> ForwardOut::take_held(const std::string& cluster, const wire::ForwardHeld& part) {
  const auto found = held_.find(cluster);
  if (found == held_.end())
    return internal_error("found ForwardHeld after the last part, expected it once in a connection");
  Held& held = found->second;
  held.bytes += part.ByteSizeLong();
  // Without what cannot be true of a job: an attempt takes little room here, whatever is said of it.
  for (const auto& state : part.running()) {
    auto& one = *held.all.add_running();
    *one.mutable_attempt() = state.attempt();
    if (fits(cluster, state.attempt(), state.job())) *one.mutable_job() = state.job();
  }
  for (const auto& told : part.over()) {
    auto& one = *held.all.add_over();
    one = told;
    if (!fits(cluster, told.attempt(), told.job())) one.clear_job();
  }
  if (held.all.running_size() + held.all.over_size() > kMostHeld || held.bytes > kMostHeldBytes)
    return internal_error("found more than a million attempts or " + std::to_string(kMostHeldBytes >> 20) +
                          " MB of them that it holds");
  if (!part.last()) return {};
  const wire::ForwardHeld all = std::move(held.all);
  held_.erase(found);
  greeted(cluster, all);
  return {};
}

// Those that were made before mbatchd was restarted; all others are known.
void ForwardOut::restore_forwards(const std::string& cluster) {
  for (const JobKey key : jobs_.on_host(host_of(cluster))) {
    const sched::Job* job = jobs_.find(key);
    if (!job || !sched::is_elsewhere(job->record)) continue;
    const auto& forwarded = job->record.forwarded();
    const Forward forward{{forwarded.queue(), cluster}, forwarded.number()};
    if (!forwards_.try_emplace({key, job->record.attempt()}, forward).second) continue;
    queues_.restored(forward.queue, forward.number, static_cast<int>(job->record.hosts(0).slots()));
  }
}

void ForwardOut::greeted(const std::string& cluster, const wire::ForwardHeld& held) {
  queues_.connected(cluster, true);
  gate_.greeted(cluster);
  restore_forwards(cluster);
  handler_.told(host_of(cluster), peers::came_of(held));
  forget_ended(cluster);
  for (const auto& state : held.running())
    if (const auto taken = take_state(cluster, state); !taken) complain(cluster, taken.error().text);
  for (const auto& over : held.over())
    if (const auto taken = take_over(cluster, over); !taken) complain(cluster, taken.error().text);
  handler_.plan_soon();
}

bool ForwardOut::fits(const std::string& cluster, const wire::ForwardAttempt& attempt,
                      const wire::JobElsewhere& there) {
  const sched::Job* job = jobs_.find(sched::key_of(attempt.key()));
  if (!job) return there.hosts_size() == 0;
  const auto fitting = peers::fits(there, *job->asked);
  if (!fitting) complain(cluster, fitting.error().text);
  return fitting.has_value();
}

Result<void> ForwardOut::take_state(const std::string& cluster, const wire::ForwardState& state) {
  if (auto checked = peers::check(state.attempt()); !checked) return checked;
  if (!fits(cluster, state.attempt(), state.job())) return {};
  auto job = peers::believed(state.job());
  if (!job) return job.error();
  const Attempt attempt = peers::attempt_of(state.attempt());
  const std::string host = job->hosts_size() == 0 ? cluster : job->hosts(0).name() + "@" + cluster;
  answered(cluster, attempt);
  handler_.told(host_of(cluster), report::Elsewhere{attempt, std::move(*job)});
  if (!state.terminal()) return {};
  // No port and no key: its bsub reaches the terminal by way of us (docs/decisions/0094).
  report::Ready ready{attempt, {}};
  ready.stream.set_host(host);
  handler_.told(host_of(cluster), ready);
  return {};
}

Result<void> ForwardOut::take_over(const std::string& cluster, const wire::ForwardOver& told) {
  if (auto checked = peers::check(told.attempt()); !checked) return checked;
  if (!fits(cluster, told.attempt(), told.job())) return {};
  const auto over = peers::believed(told);
  if (!over) return over.error();
  const Attempt attempt = peers::attempt_of(over->attempt());
  auto end = peers::over_of(*over);
  if (over->how() == wire::ForwardOver::WITHDRAWN)
    if (const auto known = forwards_.find(attempt); known != forwards_.end()) {
      const auto& [queue, number] = known->second;
      queues_.came_back(queue, number);
      // Without the job: what the next job like it finds.
      if (const auto figures = queues_.figures(queue)) end.figures = slots_of(*figures);
    }
  // A refused offer does not count against LSB_MAX_FORWARD_PER_SESSION, so one cluster cannot use it up.
  if (over->how() == wire::ForwardOver::REFUSED) {
    offered_ -= offered_ > 0 && forwards_.contains(attempt) ? 1 : 0;
    ++refusals_[cluster];
  } else
    tried_.erase(attempt.job);
  answered(cluster, attempt);
  handler_.told(host_of(cluster), end);
  if (const auto post = peers::post_over_of(*over)) handler_.told(host_of(cluster), *post);
  if (!is_there(attempt)) left(attempt);  // one that is not known there is offered again
  return {};
}

void ForwardOut::answered(const std::string& cluster, const Attempt& attempt) {
  if (gate_.answered(cluster, attempt)) handler_.plan_soon();
}

std::string ForwardOut::closed(const std::string& cluster) const {
  if (const auto count = gate_.unanswered(cluster); count >= peers::OrderGate::kMostUnanswered)
    return "its cluster has not answered " + std::to_string(count) + " offers";
  const auto refusals = refusals_.find(cluster);
  if (refusals == refusals_.end() || refusals->second < kMostRefusals) return "";
  return "its cluster has refused " + std::to_string(refusals->second) + " offers in this MBD_SLEEP_TIME";
}

// A peer fills no log: the first lines of a connection tell enough.
void ForwardOut::complain(const std::string& cluster, const std::string& what) {
  const int number = ++complaints_[cluster];
  if (number <= kMostComplaints) log_.warning("cluster " + cluster + ": " + what);
  if (number == kMostComplaints)
    log_.warning("cluster " + cluster +
                 ": further messages that cannot be true are not logged until it connects again");
}

void ForwardOut::untaken(const peers::step::Untaken& order) {
  const Attempt attempt = peers::attempt_of(order.attempt);
  if (order.kind != wire::PeerMessage::kOffer) {
    complain(order.cluster, "it does not know an order for job " + sched::text(attempt.job) +
                                ": its release is older, and the job stays there as it is");
    return handler_.not_known(host_of(order.cluster), order.kind);
  }
  wire::ForwardOver over;
  *over.mutable_attempt() = order.attempt;
  over.set_how(wire::ForwardOver::REFUSED);
  over.set_why("cluster " + order.cluster + " does not know offers of this kind: its release is older");
  static_cast<void>(take_over(order.cluster, over));
}

// A peer may name as many queues as it likes: those that no queue here sends jobs to are not kept.
bool ForwardOut::sends_to(const std::string& cluster, const std::string& queue) const {
  const auto names_it = [&](const conf::RemoteQueue& to) {
    return to.queue == queue && (to.cluster == cluster || to.cluster == "allclusters");
  };
  const auto& queues = configuration_->files.lsb->queues;
  return std::any_of(queues.begin(), queues.end(), [&](const conf::QueueRow& row) {
    return std::any_of(row.send_jobs_to.begin(), row.send_jobs_to.end(), names_it);
  });
}

void ForwardOut::take_figures(const std::string& cluster, const wire::QueueFigures& figures, TimePoint now) {
  const forward_policy::UpdateOrder order{connections_[cluster], ++updates_[cluster]};
  for (const auto& of_queue : figures.queues()) {
    if (!sends_to(cluster, of_queue.name())) continue;
    const auto news = news_of(cluster, of_queue, order);
    if (!news) {
      complain(cluster, news.error().text);
      continue;
    }
    // Where our clock went back over a restart, numbers of forwards begin below those that the other cluster has seen.
    if (queues_.updated(*news, now) == forward_policy::ForwardedCounts::Outcome::invalid)
      complain(cluster, "passed over figures of queue " + peers::plain_words(of_queue.name()) +
                            " that cannot be true");
  }
  if (waiting_ > 0) handler_.plan_soon();
}

void ForwardOut::left(const Attempt& attempt) {
  const auto known = forwards_.find(attempt);
  if (known == forwards_.end()) return;
  queues_.gone(known->second.queue, known->second.number);
  gate_.ended(known->second.queue.cluster, attempt);
  forwards_.erase(known);
}

bool ForwardOut::is_there(const Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  return job && sched::is_elsewhere(job->record) && job->record.attempt() == attempt.number;
}

// Attempts that were killed or asked back before the cluster had heard of them: it tells no end of these.
void ForwardOut::forget_ended(const std::string& cluster) {
  std::vector<Attempt> ended;
  for (const auto& [attempt, forward] : forwards_)
    if (forward.queue.cluster == cluster && !is_there(attempt)) ended.push_back(attempt);
  for (const Attempt& attempt : ended) left(attempt);
}

// ---------------------------------------------------------------- offers

void ForwardOut::begin_session(WallTime now) {
  const auto length =
      std::chrono::duration_cast<std::chrono::microseconds>(configuration_->files.lsb->params.mbd_sleep_time)
          .count();
  if (session_ && now.us >= session_->us && now.us < session_->us + length) return;
  session_ = now;
  offered_ = 0;
  more_ = false;
  tried_.clear();
  refusals_.clear();
}

// While no cluster is connected, jobs wait for a greeting and not for a time.
bool ForwardOut::may_offer() const {
  return sends_ && std::any_of(clusters_.begin(), clusters_.end(),
                               [this](const auto& one) { return queues_.connected(one); });
}

std::optional<WallTime> ForwardOut::next_session() const {
  if (!session_ || !more_ || !may_offer()) return std::nullopt;
  return WallTime{session_->us + std::chrono::duration_cast<std::chrono::microseconds>(
                                     configuration_->files.lsb->params.mbd_sleep_time)
                                     .count()};
}

void ForwardOut::offer(const sched::cycle::Snapshot& snapshot, WallTime now, TimePoint steady) {
  waiting_ = 0;
  offer_untyped();
  if (!may_offer()) return;
  begin_session(now);
  const int most = configuration_->files.cluster->programs.mbatchd.most_forwards;
  // Of jobs that ask for the same, one that no queue takes speaks for the others: jobs behind them have their turn.
  std::set<sched::cycle::DemandNumber> taken_by_none;
  int choices = 0;
  Pass pass{snapshot, now, steady, {}};
  for (const auto& candidate : sched::cycle::forwardable(snapshot, now, kMostCandidates)) {
    if (offered_ >= most || choices >= kMostChoices) {
      more_ = true;
      break;
    }
    const sched::Job* job = jobs_.find(candidate.job);
    if (!job || (taken_by_none.contains(candidate.demand) && job->record.returns().empty())) {
      ++waiting_;
      continue;
    }
    const auto seen = look(pass, *job, snapshot.demand(candidate.demand));
    if (seen) ++choices;
    if (seen && seen->choice.offers.empty() && job->record.returns().empty())
      taken_by_none.insert(candidate.demand);
    seen&& offer_job(*job, snapshot.demand(candidate.demand).min_slots, *seen, pass) ? ++offered_
                                                                                     : ++waiting_;
  }
}

// Jobs of one queue find the same remote queues but for those that they came back from.
std::shared_ptr<const forward_policy::QueueTable> ForwardOut::table_for(const conf::QueueRow& queue,
                                                                        const sched::Job& job,
                                                                        Pass& pass) const {
  auto& table = pass.tables[queue.name];
  if (!table) {
    auto queues = queues_.of(queue.send_jobs_to, clusters_, pass.steady);
    for (auto& one : queues) one.closed = closed(one.name.cluster);
    table = std::make_shared<forward_policy::QueueTable>(std::move(queues));
  }
  table->clear_returns();
  for (auto& [name, returns] : returns_of(job.record, pass.now)) table->set_returns(name, std::move(returns));
  return table;
}

// The queues for a job, or why it stays here.
Result<ForwardOut::Look> ForwardOut::look(Pass& pass, const sched::Job& job,
                                          const sched::cycle::Demand& demand) const {
  const conf::QueueRow* queue = configuration_->files.lsb->queue(demand.queue);
  if (!queue || queue->send_jobs_to.empty()) return internal_error("");
  if (!may_forward(configuration_->files, *queue, *job.asked))
    return internal_error("FWD_USERS of queue " + queue->name + " leaves its user out");
  if (auto why = peers::stays_home(*job.asked); !why.empty()) return internal_error(std::move(why));
  Look look;
  look.asks.min_slots = demand.min_slots;
  look.asks.max_slots = demand.max_slots;
  const auto parsed =
      resreq::parse(demand.resreq, sched::resreq_syntax(configuration_->files.cluster->settings));
  if (!parsed.error)
    forward_policy::add_terms(parsed.value, pass.snapshot.rules().indices(), demand.from_type, look.asks);
  // No host elsewhere would be of the type "", and a job that was accepted there waits there.
  const bool of_own_type =
      look.asks.unknown_type || !parsed.value.select;  // without a select it is type==local
  if (of_own_type && demand.from_type.empty())
    return internal_error("the type of its submission host, " + job.asked->from_host() + ", is not known");
  look.table = table_for(*queue, job, pass);
  look.settings = settings_of(configuration_->files, *queue);
  look.choice = forward_policy::choose(look.asks, *look.table, look.settings);
  return look;
}

bool ForwardOut::offer_job(const sched::Job& job, int slots, const Look& seen, Pass& pass) {
  const Tried& tried = tried_[job.key()];
  if (tried.queues.size() < forward_policy::kMostOffers)
    for (const std::size_t offer : seen.choice.offers) {
      const auto& name = seen.table->queues()[offer].name;
      if (std::find(tried.queues.begin(), tried.queues.end(), name) != tried.queues.end()) continue;
      forward(job, name, slots, seen);
      for (auto& [queue, table] : pass.tables) table->update(name, queues_.figures(name));
      return true;
    }
  more_ = more_ || !tried.queues.empty();
  return false;
}

void ForwardOut::forward(const sched::Job& job, const conf::RemoteQueue& queue, int slots, const Look& seen) {
  const Attempt attempt{job.key(), job.record.attempt() + 1};
  sched::event::Dispatched event;
  event.placement.hosts.push_back({HostId::whole_cluster(queue.cluster), slots});
  auto& forwarded = event.forwarded.emplace();
  forwarded.set_cluster(queue.cluster);
  forwarded.set_queue(queue.queue);
  forwarded.set_why(forward_policy::line_of(seen.choice, seen.asks, seen.table->queues(), seen.settings));
  for (auto& row : rows_of(seen.choice, seen.asks, seen.table->queues(), seen.settings))
    forwarded.mutable_looked_at()->Add(std::move(row));
  forwarded.set_number(queues_.forwarded(queue, slots));
  forwards_[attempt] = {queue, forwarded.number()};
  tried_[attempt.job].queues.push_back(queue);
  if (!handler_.dispatch(attempt.job, event)) left(attempt);
}

sched::answers::RemoteLook ForwardOut::verdicts_of(const sched::cycle::Snapshot& snapshot, JobKey key,
                                                   WallTime now, TimePoint steady) const {
  const sched::Job* job = sends_ ? jobs_.find(key) : nullptr;
  const auto* pending = job ? snapshot.pending(key) : nullptr;
  if (!pending || pending->hold != sched::cycle::Hold::none || job->record.has_from()) return {};
  Pass pass{snapshot, now, steady, {}};
  const auto seen = look(pass, *job, snapshot.demand(pending->demand));
  if (!seen) return {seen.error().text.empty() ? "" : "Not forwarded: " + seen.error().text + "\n", {}};
  const auto queues = seen->table->queues();
  return {forward_policy::table_of(seen->choice, seen->asks, queues, seen->settings),
          rows_of(seen->choice, seen->asks, queues, seen->settings)};
}

wire::BatchReply::ClusterRows ForwardOut::rows(
    const std::function<std::string(const std::string& cluster)>& condition, TimePoint now) const {
  wire::BatchReply::ClusterRows rows;
  const auto add = [&](const std::string& queue, const std::string& cluster) -> auto& {
    auto& row = *rows.add_rows();
    row.set_queue(queue);
    row.set_cluster(cluster);
    row.set_status(condition(cluster));
    return row;
  };
  for (const auto& [cluster, told] : applications_)
    for (const auto& profile : told.profiles()) {
      auto& row = *rows.add_applications();
      row.set_cluster(cluster);
      row.set_name(profile.name());
      row.set_description(profile.description());
    }
  for (const auto& [cluster, theirs] : definitions_)
    for (const auto& line :
         peers::differences(peers::definitions_of(configuration_->files.cluster->shared), theirs)) {
      if (rows.differences_size() == kMostDifferences) break;
      auto& row = *rows.add_differences();
      row.set_cluster(cluster);
      row.set_text(line);
    }
  for (const auto& queue : configuration_->files.lsb->queues) {
    for (const auto& remote : queues_.of(queue.send_jobs_to, clusters_, now)) {
      auto& row = add(queue.name, remote.name.cluster);
      row.set_remote_queue(remote.name.queue);
      if (remote.figures) put(remote, *row.mutable_figures());
    }
    for (const auto& cluster : clusters_)
      if (sched::book::receives(queue, cluster)) add(queue.name, cluster).set_receives(true);
  }
  return rows;
}

// ---------------------------------------------------------------- orders

void ForwardOut::say(const std::string& host, wire::PeerMessage order) {
  const std::string cluster = cluster_of(host);
  if (gate_.order(cluster)) handler_.say(cluster, std::move(order));
}

// An offer is repeated when a cluster connects, which may be before LIM has answered a master that was restarted. Without the type
// of its submission host a job would wait there in vain.
void ForwardOut::start(const std::string& host, sched::order::Start order) {
  const std::string cluster = cluster_of(host);
  if (order.asked->from_type().empty() && !handler_.types_known() &&
      handler_.type_of(order.asked->from_host()).empty()) {
    const Attempt attempt = order.attempt;
    untyped_[attempt] = {host, std::move(order)};
    return;
  }
  if (!gate_.offer(cluster, order.attempt)) return;
  wire::PeerMessage message = peers::offer_of(order);
  auto& offer = *message.mutable_offer();
  if (offer.asked().from_type().empty())
    offer.mutable_asked()->set_from_type(handler_.type_of(order.asked->from_host()));
  if (const auto range = sched::jobs::range_of(*order.asked, order.attempt.job.index)) {
    offer.set_index_step(range->step);
    offer.set_index_end(range->end);
  }
  peers::propose(peers::proposed(user_map_of(configuration_->files), cluster, order.asked->user()), offer);
  handler_.say(cluster, std::move(message));
}

void ForwardOut::offer_untyped() {
  if (untyped_.empty() || !handler_.types_known()) return;
  for (auto& [attempt, offer] : std::exchange(untyped_, {}))
    if (is_there(attempt)) start(offer.host, std::move(offer.order));
}

void ForwardOut::signal(const std::string& host, const sched::order::Signal& order) {
  say(host, peers::signal_of(order));
}

void ForwardOut::acknowledge(const std::string& host, const Attempt& attempt) {
  const sched::Job* job = jobs_.find(attempt.job);
  say(host, peers::acknowledge_of(attempt, job ? &job->record : nullptr));
}

void ForwardOut::release(const std::string& host, const Attempt& attempt) {
  say(host, peers::recall_of(attempt));
}

}  // namespace rollcall::mbatchd
