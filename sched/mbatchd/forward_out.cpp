#include "sched/mbatchd/forward_out.hpp"

#include <algorithm>
#include <utility>

#include "common/resreq/resreq.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
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

constexpr int kMostCandidates = 20'000;  // jobs of one pass
constexpr int kMostChoices = 1000;       // of one pass
constexpr int kMostDifferences = 1000;   // shown

std::string host_of(const std::string& cluster) { return HostId::whole_cluster(cluster).text(); }
forward_policy::Refusals::Scope scope_of(wire::ForwardOver::Scope told) {
  using Scope = forward_policy::Refusals::Scope;
  switch (told) {
    case wire::ForwardOver::OF_ITS_USER:
      return Scope::user;
    case wire::ForwardOver::OF_THE_QUEUE:
      return Scope::queue;
    case wire::ForwardOver::OF_THE_CLUSTER:
      return Scope::cluster;
    default:
      return Scope::job;
  }
}

std::string cluster_of(const std::string& host) { return std::string(HostId(host).cluster()); }

}  // namespace

void ForwardOut::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  clusters_.clear();
  for (const auto& peer : configuration_->peers.clusters) clusters_.push_back(peer.name);
  const auto& queues = configuration_->files.lsb->queues;
  sends_ = std::any_of(queues.begin(), queues.end(),
                       [](const auto& queue) { return !queue.send_jobs_to.empty(); });
  had_a_turn_ = {};
}

// ---------------------------------------------------------------- the other cluster

// What the policy asks and tells.
class ForwardOut::BookPort : public peers::OutboundForwards::Port {
 public:
  explicit BookPort(ForwardOut& out) : out_(out) {}
  const sched::Job* find(JobKey job) const override { return out_.jobs_.find(job); }
  std::vector<JobKey> jobs_on(const std::string& host) const override {
    const auto& jobs = out_.jobs_.on_host(host);
    return {jobs.begin(), jobs.end()};
  }
  bool sends_to(const conf::RemoteQueue& queue) const override { return out_.sends_to(queue); }
  void told(const std::string& host, const sched::HostReport& report) override {
    out_.handler_.told(host, report);
  }
  void over(const conf::RemoteQueue& queue, const Attempt& attempt, const wire::ForwardOver& over) override {
    out_.over(queue, attempt, over);
  }
  void answers_again(const std::string&) override { out_.handler_.plan_soon(); }
  void log(const std::string& line) override { out_.log_.warning(line); }

 private:
  ForwardOut& out_;
};

void ForwardOut::serves(const std::string& cluster) {
  lost(cluster);
  out_.serves(cluster);
}

void ForwardOut::lost(const std::string& cluster) {
  applications_.erase(cluster);
  definitions_.erase(cluster);
  if (out_.lost(cluster)) handler_.gone(host_of(cluster));
}

Result<void> ForwardOut::heard(const std::string& cluster, const wire::PeerMessage& message, TimePoint now) {
  const bool was_greeted = out_.greeted(cluster);
  BookPort port(*this);
  if (auto taken = out_.heard(cluster, message, now, port); !taken) return taken;
  for (auto& [to, end] : out_.take_ends_of_strangers()) handler_.say(to, std::move(end));
  const bool greeted_now = !was_greeted && out_.greeted(cluster);
  const bool queues_told = message.has_figures() || message.has_applications();
  if (greeted_now || (queues_told && waiting_ > 0)) handler_.plan_soon();
  if (message.has_applications()) applications_[cluster] = peers::believed(message.applications());
  for (const auto& told : message.figures().queues()) refusals_.told({told.name(), cluster});
  if (message.has_definitions()) take_definitions(cluster, message.definitions());
  return {};
}

void ForwardOut::take_definitions(const std::string& cluster, const wire::PeerDefinitions& told) {
  auto believed = peers::believed(told);
  const auto known = definitions_.find(cluster);
  if (known != definitions_.end() && known->second.SerializeAsString() == believed.SerializeAsString())
    return;  // it may say so as often as it likes
  const auto& theirs = definitions_[cluster] = std::move(believed);
  const auto lines = peers::differences(peers::definitions_of(configuration_->files.cluster->shared), theirs);
  if (lines.empty()) return;
  std::string line = "cluster " + cluster + " lends hosts, and " + std::to_string(lines.size()) +
                     " definitions of lsf.shared differ, as bclusters -l shows: " + lines.front();
  for (const auto& said : definition_lines_.lines(cluster, std::move(line), steady_now())) log_.warning(said);
}

// A refused offer does not count against LSB_MAX_FORWARD_PER_SESSION, so one cluster cannot use it up.
void ForwardOut::over(const conf::RemoteQueue& queue, const Attempt& attempt, const wire::ForwardOver& over) {
  if (over.how() != wire::ForwardOver::REFUSED) {
    tried_.erase(attempt.job);
    return;
  }
  const sched::Job* job = jobs_.find(attempt.job);
  refusals_.refused(queue, job ? job->asked->user() : "", scope_of(over.refused_for()), over.why());
  if (offered_ > 0) --offered_;
}

bool ForwardOut::unanswered(const std::string& cluster) const {
  return out_.unanswered(cluster) >= peers::OrderGate::kMostUnanswered;
}

std::string ForwardOut::closed(const conf::RemoteQueue& queue) const {
  if (unanswered(queue.cluster))
    return "its cluster has not answered " + std::to_string(out_.unanswered(queue.cluster)) + " offers";
  return refusals_.closed(queue);
}

void ForwardOut::untaken(const peers::step::Untaken& order) {
  BookPort port(*this);
  if (order.kind == wire::PeerMessage::kOffer) return out_.offer_unknown(order.cluster, order.attempt, port);
  out_.complain(order.cluster,
                "it does not know an order for job " + sched::text(peers::attempt_of(order.attempt).job) +
                    ": its release is older, and the job stays there as it is",
                port);
  handler_.not_known(host_of(order.cluster), order.kind);
}

bool ForwardOut::sends_to(const conf::RemoteQueue& queue) const {
  const auto names_it = [&](const conf::RemoteQueue& to) {
    return to.queue == queue.queue && (to.cluster == queue.cluster || to.cluster == "allclusters");
  };
  const auto& queues = configuration_->files.lsb->queues;
  return std::any_of(queues.begin(), queues.end(), [&](const conf::QueueRow& row) {
    return std::any_of(row.send_jobs_to.begin(), row.send_jobs_to.end(), names_it);
  });
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
  refusals_.begin_session();
}

// While no cluster is connected, jobs wait for a greeting and not for a time.
bool ForwardOut::may_offer() const {
  return sends_ && std::any_of(clusters_.begin(), clusters_.end(),
                               [this](const auto& one) { return out_.greeted(one); });
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
  Pass pass{snapshot, now, steady};
  sched::cycle::ForwardableJobs jobs(snapshot, now);
  while (const auto candidate = jobs.next()) {
    if (pass.choices >= kMostChoices || pass.candidates >= kMostCandidates) {
      more_ = true;
      return;
    }
    if (offered_ >= most) {
      more_ = true;
      break;
    }
    switch (offer(*candidate, pass)) {
      case Turn::offered:
        ++offered_;
        break;
      case Turn::stays:
        ++waiting_;
        break;
      case Turn::demand_stays:
        ++waiting_;
        jobs.drop_demand();
        break;
    }
  }
  had_a_turn_ = {};
  more_ = more_ || (waiting_ > 0 && refusals_.any());
}

// A job that no queue takes speaks for the others of its demand. Where the bounds of a pass end it, the next one skips what found no queue,
// so that jobs behind have their turn.
ForwardOut::Turn ForwardOut::offer(const sched::cycle::ForwardableJob& candidate, Pass& pass) {
  if (had_a_turn_.jobs.contains(candidate.job)) return Turn::stays;
  const auto& demand = pass.snapshot.demand(candidate.demand);
  const std::uint64_t serial = pass.snapshot.demands()[candidate.demand].serial;
  if (had_a_turn_.demands.contains(serial) || pass.not_taken.contains({demand.queue, demand.user}))
    return Turn::demand_stays;
  ++pass.candidates;
  const sched::Job* job = jobs_.find(candidate.job);
  if (!job) return Turn::stays;
  const auto seen = look(pass, *job, demand);
  if (seen) ++pass.choices;
  if (seen && offer_job(*job, demand.min_slots, *seen, pass)) return Turn::offered;
  if (seen && none_takes_the_user(seen->choice)) pass.not_taken.insert({demand.queue, demand.user});
  const bool of_job = seen ? !seen->choice.offers.empty() || !job->record.returns().empty()
                           : demand.asked_hosts.empty() && !peers::stays_home(*job->asked).empty();
  if (of_job)
    had_a_turn_.jobs.insert(candidate.job);
  else
    had_a_turn_.demands.insert(serial);
  return of_job ? Turn::stays : Turn::demand_stays;
}

// Jobs of one queue find the same remote queues but for those that they came back from, or that refuse their user.
std::shared_ptr<const forward_policy::QueueTable> ForwardOut::table_for(const conf::QueueRow& queue,
                                                                        const sched::Job& job,
                                                                        Pass& pass) const {
  auto& table = pass.tables[queue.name];
  if (!table) {
    auto queues = remotes(queue, pass.steady);
    for (auto& one : queues)
      if (auto why = closed(one.name); !why.empty()) one.closed = std::move(why);
    table = std::make_shared<forward_policy::QueueTable>(std::move(queues));
  }
  table->clear_job();
  for (auto& [name, returns] : returns_of(job.record, pass.now)) table->set_returns(name, std::move(returns));
  for (auto& [name, why] : refusals_.to_user(job.asked->user())) table->set_refused(name, std::move(why));
  if (job.asked->uid() == 0) keep_home(job, *table);
  return table;
}

// No cluster runs another one's job as root. So root's jobs go only to clusters in which our UserMap gives root an account.
void ForwardOut::keep_home(const sched::Job& job, forward_policy::QueueTable& table) const {
  const auto map = user_map_of(configuration_->files);
  std::vector<conf::RemoteQueue> queues;
  for (const auto& queue : table.queues())
    if (peers::proposed(map, queue.name.cluster, job.asked->user()).empty()) queues.push_back(queue.name);
  for (const auto& name : queues) table.set_refused(name, "a job of root stays in its cluster");
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
      for (auto& [queue, table] : pass.tables) table->update(name, out_.queues().figures(name));
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
  forwarded.set_number(out_.forwarded(attempt, queue, slots));
  tried_[attempt.job].queues.push_back(queue);
  if (!handler_.dispatch(attempt.job, event)) out_.left(attempt);
}

sched::answers::RemoteLook ForwardOut::verdicts_of(const sched::cycle::Snapshot& snapshot, JobKey key,
                                                   WallTime now, TimePoint steady) const {
  const sched::Job* job = sends_ ? jobs_.find(key) : nullptr;
  const auto* pending = job ? snapshot.pending(key) : nullptr;
  if (!pending || pending->hold != sched::cycle::Hold::none || job->record.has_from()) return {};
  Pass pass{snapshot, now, steady};
  const auto seen = look(pass, *job, snapshot.demand(pending->demand));
  if (!seen) return {seen.error().text.empty() ? "" : "Not forwarded: " + seen.error().text + "\n", {}};
  const auto queues = seen->table->queues();
  return {forward_policy::table_of(seen->choice, seen->asks, queues, seen->settings),
          rows_of(seen->choice, seen->asks, queues, seen->settings)};
}

// Those of SNDJOBS_TO.
std::vector<forward_policy::RemoteQueue> ForwardOut::remotes(const conf::QueueRow& queue,
                                                             TimePoint now) const {
  auto remotes = out_.queues().of(queue.send_jobs_to, clusters_, now);
  for (auto& one : remotes)
    if (one.name.cluster == configuration_->settings().cluster) {
      one.connected = true;
      one.closed = "it is a queue of this cluster: jobs are forwarded to other clusters alone";
    }
  return remotes;
}

// A queue that is only full for now is no `reject`.
void ForwardOut::put_closed(const forward_policy::RemoteQueue& queue,
                            wire::BatchReply::ClusterRow& row) const {
  const std::string& cluster = queue.name.cluster;
  const bool never = !queue.closed.empty();
  row.set_why(never ? queue.closed : closed(queue.name));
  if (queue.closed_there) return row.set_status("closed");
  if (never || refusals_.too_many(cluster) || unanswered(cluster)) row.set_status("reject");
}

void ForwardOut::put_receiving(wire::BatchReply::ClusterRow& row) const {
  row.set_receives(true);
  if (row.status() != "ok" || jobs_.queue_control(row.queue()).open) return;
  row.set_status("closed");
  row.set_why("it is closed (badmin qopen opens it)");
}

wire::BatchReply::ClusterRows ForwardOut::rows(
    const std::function<Condition(const std::string& cluster)>& condition, TimePoint now) const {
  wire::BatchReply::ClusterRows rows;
  const auto add = [&](const std::string& queue, const std::string& cluster) -> auto& {
    auto& row = *rows.add_rows();
    row.set_queue(queue);
    row.set_cluster(cluster);
    auto [status, why] = condition(cluster);
    row.set_status(std::move(status));
    row.set_why(std::move(why));
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
    for (const auto& remote : remotes(queue, now)) {
      auto& row = add(queue.name, remote.name.cluster);
      row.set_remote_queue(remote.name.queue);
      if (remote.connected) put_closed(remote, row);
      if (remote.figures) put(remote, *row.mutable_figures());
    }
    for (const auto& cluster : clusters_)
      if (sched::book::receives(queue, cluster)) put_receiving(add(queue.name, cluster));
  }
  return rows;
}

// ---------------------------------------------------------------- orders

void ForwardOut::say(const std::string& host, wire::PeerMessage order) {
  const std::string cluster = cluster_of(host);
  if (out_.order(cluster)) handler_.say(cluster, std::move(order));
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
  if (!out_.offer(cluster, order.attempt)) return;
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
    if (peers::is_there(attempt, jobs_.find(attempt.job))) start(offer.host, std::move(offer.order));
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
