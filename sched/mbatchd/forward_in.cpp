#include "sched/mbatchd/forward_in.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/io/local_time.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/cycle/queue_figures.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/definitions.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;
using sched::JobKey;

constexpr std::size_t kMostWaiting = 10'000;  // messages of one cluster behind a look-up
constexpr std::size_t kMostWaitingBytes = std::size_t{64}
                                          << 20;  // on the wire; up to sixteen times as much here
constexpr std::size_t kMostAccounts = 100'000;
constexpr std::size_t kFullPart =
    256 * 1024;  // bytes; with the job that fills it a part must fit into a frame
constexpr Duration kAccountKept = std::chrono::minutes(1);
constexpr std::size_t kRoom = 64 * 1024;
// MC_RUSAGE_UPDATE_INTERVAL where it is not set and reasons are told at no interval.
constexpr Duration kUsageInterval = std::chrono::seconds(300);

TimePoint steady_now() { return {std::chrono::steady_clock::now().time_since_epoch()}; }

// Whether the time of `next` has come; then, and at the first call, sets it for the time after. An interval of 0 never comes.
bool comes(std::optional<TimePoint>& next, Duration interval, TimePoint now) {
  if (interval <= Duration{0}) return next.reset(), false;
  const bool due = next && now >= *next;
  if (!next || due) next = now + interval;
  return due;
}

// Leaves out of a report what may not cross: the processes of a job.
sched::book::SaidOfAttempt crossing(sched::book::SaidOfAttempt said) {
  auto* const job = said.state                          ? said.state->mutable_job()
                    : said.over && said.over->has_job() ? said.over->mutable_job()
                                                        : nullptr;
  if (job && job->has_usage()) *job->mutable_usage() = peers::crossing(job->usage());
  return said;
}

// Why no job of another cluster runs as this user; "": it may. Some accounts can do more than their name says: that of munged can be anybody.
std::string keeps_out(const sched::ConfigView& files, const sched::Identity& who) {
  constexpr uid_t kNobody = 65534;
  const auto least = static_cast<uid_t>(files.cluster->programs.mbatchd.guest_uid_min);
  if (who.uid != 0 && least != 0 && (who.uid < least || who.uid == kNobody))
    return "user " + who.user + " is an account of the system: found uid " + std::to_string(who.uid) +
           ", expected at least " + std::to_string(least) +
           " (ROLLCALL_GUEST_UID_MIN), and not that of nobody";
  const auto& queues = files.lsb->queues;
  const auto administers = [&](const conf::QueueRow& queue) {
    return sched::jobs::names_user(files, queue.administrators, who);
  };
  const auto queue = std::find_if(queues.begin(), queues.end(), administers);
  return queue == queues.end() ? "" : "user " + who.user + " is an administrator of queue " + queue->name;
}

wire::PeerMessage applications_of(const Configuration& configuration) {
  wire::PeerMessage message;
  auto& all = *message.mutable_applications();
  for (const auto& profile : configuration.files.lsb->applications) {
    auto& told = *all.add_profiles();
    told.set_name(profile.name);
    told.set_description(profile.jobs.description);
  }
  return message;
}

// None: nothing is exported to the cluster.
std::optional<wire::PeerMessage> definitions_for(const std::string& cluster,
                                                 const Configuration& configuration) {
  if (!peers::exports_to(configuration.files.lsb->resources, cluster)) return std::nullopt;
  wire::PeerMessage message;
  *message.mutable_definitions() = peers::definitions_of(configuration.files.cluster->shared);
  return message;
}

}  // namespace

ForwardIn::ForwardIn(boost::asio::io_context& loop, const sched::book::JobTable& jobs,
                     sched::book::ForwardedJobs& forwards, io::Log& log, Handler handler)
    : jobs_(jobs),
      forwards_(forwards),
      log_(log),
      handler_(std::move(handler)),
      aside_(loop, io::SideThread::Limits{64, std::chrono::seconds(10)}) {}

void ForwardIn::configure(std::shared_ptr<const Configuration> configuration) {
  configuration_ = std::move(configuration);
  next_figures_.reset();
  next_usage_.reset();
  next_reasons_.reset();
  for (auto& [cluster, peer] : peers_) {
    peer.answers.push_back(applications_of(*configuration_));
    if (auto told = definitions_for(cluster, *configuration_)) peer.answers.push_back(std::move(*told));
  }
  if (!peers_.empty()) handler_.turn_soon();
}

// ---------------------------------------------------------------- the other cluster

void ForwardIn::serves(const std::string& cluster) {
  Peer& peer = peers_[cluster];
  peer = {};
  peer.connection = ++connections_;
  peer.greets = true;
  next_figures_.reset();
  handler_.changed(forwards_.is_back(cluster));
  handler_.turn_soon();
}

void ForwardIn::lost(const std::string& cluster) { peers_.erase(cluster); }

Result<void> ForwardIn::heard(const std::string& cluster, wire::PeerMessage message, WallTime now) {
  const auto found = peers_.find(cluster);
  if (found == peers_.end()) return {};
  Peer& peer = found->second;
  peer.waiting_bytes += message.ByteSizeLong();
  if (peer.inbox.size() >= kMostWaiting || peer.waiting_bytes > kMostWaitingBytes)
    return internal_error("found more than " + std::to_string(kMostWaiting) + " messages or " +
                          std::to_string(kMostWaitingBytes >> 20) + " MB that wait for a user's name");
  peer.inbox.push_back(std::move(message));
  work(cluster, now);
  return {};
}

void ForwardIn::work(const std::string& cluster, WallTime now) {
  const auto found = peers_.find(cluster);
  if (found == peers_.end()) return;
  Peer& peer = found->second;
  while (!peer.looks_up && !peer.inbox.empty() && take(cluster, peer, peer.inbox.front(), now)) pop(peer);
}

void ForwardIn::pop(Peer& peer) {
  peer.waiting_bytes -= peer.inbox.front().ByteSizeLong();
  peer.inbox.pop_front();
}

// False: it waits for a look-up, and stays in the inbox.
bool ForwardIn::take(const std::string& cluster, Peer& peer, const wire::PeerMessage& message, WallTime now) {
  using What = wire::PeerMessage::WhatCase;
  switch (message.what_case()) {
    case What::kOffer:
      return take_offer(cluster, peer, message.offer(), now);
    case What::kSignal:
      answer(peer, forwards_.signal(cluster, message.signal(), now));
      return true;
    case What::kRecall:
      answer(peer, forwards_.recall(cluster, message.recall(), now));
      return true;
    case What::kAcknowledge:
      handler_.changed(forwards_.acknowledge(cluster, message.acknowledge(), now));
      return true;
    default:
      return true;
  }
}

bool ForwardIn::take_offer(const std::string& cluster, Peer& peer, const wire::ForwardOffer& offered,
                           WallTime now) {
  if (!peers::check(offered.attempt())) return true;
  if (forwards_.knows(cluster, offered.attempt()))
    return answer(peer, forwards_.offer(cluster, offered, {}, {}, now)), true;
  const auto claim = peers::claim_of(offered);
  if (!claim) return refuse(peer, offered, claim.error().text), true;
  const auto user = peers::accepted(user_map_of(configuration_->files), cluster, *claim);
  if (!user) return refuse(peer, offered, user.error().text), true;
  const auto account = accounts_.find(*user);
  if (account == accounts_.end() || steady_now() - account->second.first > kAccountKept)
    return look_up(cluster, peer, *user), false;
  offer(cluster, peer, offered, claim->user, account->second.second, now);
  return true;
}

void ForwardIn::look_up(const std::string& cluster, Peer& peer, const std::string& user) {
  peer.looks_up = true;
  const auto account = std::make_shared<Account>();
  const auto work = [account, user] {
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> room(kRoom);
    const int error = getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
    account->found = found != nullptr;
    if (!found && error != 0 && error != ENOENT && error != ESRCH)
      account->failure = std::string("the user database failed: ") + std::strerror(error);
    account->who.user = user;
    if (found) account->who.uid = found->pw_uid, account->who.gid = found->pw_gid;
  };
  aside_.ask(work, [this, cluster, user, account, connection = peer.connection](io::SideThread::End end) {
    const auto found = peers_.find(cluster);
    if (end != io::SideThread::End::finished) account->failure = "the user database did not answer in time";
    if (account->failure.empty()) {
      if (accounts_.size() > kMostAccounts) accounts_.clear();
      accounts_[user] = {steady_now(), *account};
    }
    if (found == peers_.end() || found->second.connection != connection) return;
    Peer& asker = found->second;
    asker.looks_up = false;
    if (!account->failure.empty() && !asker.inbox.empty()) {
      refuse(asker, asker.inbox.front().offer(), account->failure);
      pop(asker);
    }
    this->work(cluster, io::wall_now());
  });
}

void ForwardIn::offer(const std::string& cluster, Peer& peer, const wire::ForwardOffer& offered,
                      const std::string& claimed, const Account& account, WallTime now) {
  if (configuration_->files.lsb->queue(offered.queue())) {  // a peer may name as many as it likes
    auto& number = peer.numbers[offered.queue()];
    number = std::max(number, offered.number());
  }
  if (!account.found) return refuse(peer, offered, "user " + account.who.user + " is not known here");
  sched::Identity who = account.who;
  const auto& administrators = configuration_->files.cluster->cluster.administrators;
  who.is_admin = who.uid == 0 || who.uid == geteuid() ||
                 std::find(administrators.begin(), administrators.end(), who.user) != administrators.end();
  wire::Submission asked = peers::crossing(offered.asked());
  asked.set_user(claimed);
  if (auto why = keeps_out(configuration_->files, who); !why.empty())
    return refuse(peer, offered, std::move(why));
  answer(peer, offered.has_lent() ? handler_.start_on_lent_slots(cluster, offered, asked, who, now)
                                  : forwards_.offer(cluster, offered, asked, who, now));
}

void ForwardIn::answer(Peer& peer, sched::book::ForwardedJobs::Answered answered) {
  handler_.changed(std::move(answered.effects));
  const auto& [state, over] = answered.said;
  if (state)
    dirty_.insert(sched::key_of(state->job().key()));
  else if (over->has_job())
    dirty_.insert(sched::key_of(over->job().key()));
  else
    *peer.answers.emplace_back().mutable_over() = *over;
  handler_.turn_soon();
}

void ForwardIn::refuse(Peer& peer, const wire::ForwardOffer& offered, std::string why) {
  auto& over = *peer.answers.emplace_back().mutable_over();
  over = sched::book::refused(offered.attempt(), std::move(why));
  if (offered.has_lent()) over.set_how(wire::ForwardOver::NOT_STARTED);  // another host may take it
  handler_.turn_soon();
}

// ---------------------------------------------------------------- what is told

void ForwardIn::changed(const std::set<JobKey>& jobs) {
  if (peers_.empty()) return;
  dirty_.insert(jobs.begin(), jobs.end());
}

// Names of the peers. Sending may end a connection, and then removes its peer from peers_.
std::vector<std::string> ForwardIn::serving() const {
  std::vector<std::string> names;
  for (const auto& [cluster, peer] : peers_) names.push_back(cluster);
  return names;
}

void ForwardIn::flush(WallTime now) {
  for (const std::string& cluster : serving())
    for (auto& said : due_for(cluster, now)) handler_.say(cluster, std::move(said));
  for (const JobKey job : std::exchange(dirty_, {})) tell(job, now);
  reasons_.clear();
}

std::vector<wire::PeerMessage> ForwardIn::due_for(const std::string& cluster, WallTime now) {
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end()) return {};
  std::vector<wire::PeerMessage> due;
  if (std::exchange(peer->second.greets, false)) greet(cluster, peer->second, now, due);
  for (auto& said : std::exchange(peer->second.answers, {})) due.push_back(std::move(said));
  return due;
}

std::string ForwardIn::reason_of(JobKey job) const {
  const auto known = reasons_.find(job);
  return known == reasons_.end() ? handler_.why(job) : known->second;
}

void ForwardIn::greet(const std::string& cluster, Peer& peer, WallTime now,
                      std::vector<wire::PeerMessage>& due) const {
  due.emplace_back().mutable_held();
  std::size_t bytes = 0;
  for (const JobKey job : forwards_.held_for(cluster)) {
    auto known = forwards_.said_of(job, now);
    if (!known) continue;
    // A queue's forwards are numbered by the cluster that makes them: by the queue that it asked for, whatever became of the job here.
    if (const sched::Job* record = jobs_.find(job)) {
      auto& number =
          peer.numbers[record->asked->queues_size() > 0 ? record->asked->queues(0) : record->record.queue()];
      number = std::max(number, record->record.from().number());
    }
    auto said = crossing(std::move(*known));
    if (bytes >= kFullPart) {
      due.emplace_back().mutable_held();
      bytes = 0;
    }
    bytes += said.state ? said.state->ByteSizeLong() : said.over->ByteSizeLong();
    auto& held = *due.back().mutable_held();
    if (said.state) *held.add_running() = std::move(*said.state);
    if (said.over) *held.add_over() = std::move(*said.over);
  }
  due.back().mutable_held()->set_last(true);
  due.push_back(applications_of(*configuration_));
  if (auto told = definitions_for(cluster, *configuration_)) due.push_back(std::move(*told));
}

void ForwardIn::tell(JobKey job, WallTime now) {
  const std::string cluster = forwards_.cluster_of(job);
  if (cluster.empty() || !peers_.contains(cluster)) return;
  auto known = forwards_.said_of(job, now);
  if (!known) return;
  auto said = crossing(std::move(*known));
  wire::PeerMessage message;
  if (said.state) {
    if (sched::pending(said.state->job().status()) && said.state->job().why().empty() &&
        said.state->attempt().lent_host().empty())
      said.state->mutable_job()->set_why(reason_of(job));
    *message.mutable_state() = std::move(*said.state);
  } else {
    *message.mutable_over() = std::move(*said.over);
  }
  handler_.say(cluster, std::move(message));
}

// ---------------------------------------------------------------- at intervals

void ForwardIn::tick(const sched::cycle::Snapshot& snapshot, WallTime now, TimePoint steady) {
  if (peers_.empty()) return;
  const auto& params = configuration_->files.lsb->params;
  if (params.mc_update_interval > Duration{0} && (!next_figures_ || steady >= *next_figures_)) {
    next_figures_ = steady + params.mc_update_interval;
    tell_figures(snapshot, now);
  }
  const Duration reasons = params.mc_pending_reason_interval;
  const Duration usage =
      params.mc_rusage_update_interval.value_or(reasons > Duration{0} ? reasons : kUsageInterval);
  if (comes(next_usage_, usage, steady))
    for (const auto& [cluster, peer] : peers_) dirty_.merge(unfinished_of(cluster).running);
  if (comes(next_reasons_, reasons, steady))
    for (auto& [cluster, peer] : peers_) tell_reasons(peer, unfinished_of(cluster).pending);
  if (!dirty_.empty()) handler_.turn_soon();
}

ForwardIn::Unfinished ForwardIn::unfinished_of(const std::string& cluster) const {
  Unfinished jobs;
  for (const JobKey job : forwards_.held_for(cluster)) {
    const sched::Job* found = jobs_.find(job);
    if (!found || sched::finished(found->status())) continue;
    (sched::pending(sched::shown_status(found->record)) ? jobs.pending : jobs.running).insert(job);
  }
  return jobs;
}

// Of as many jobs as MC_PENDING_REASON_PKG_SIZE allows.
void ForwardIn::tell_reasons(Peer& peer, const std::set<JobKey>& pending) {
  const int kb = configuration_->files.lsb->params.mc_pending_reason_kb;
  const auto most = kb == 0 ? std::nullopt : std::optional(static_cast<std::size_t>(kb) * 1024);
  for (auto& told : peer.reasons.next(pending, most, handler_.why)) {
    dirty_.insert(told.job);
    reasons_[told.job] = std::move(told.why);
  }
}

std::optional<TimePoint> ForwardIn::next_tick() const {
  if (peers_.empty()) return std::nullopt;
  const auto& params = configuration_->files.lsb->params;
  std::optional<TimePoint> next = next_usage_;
  if (next_reasons_ && (!next || *next_reasons_ < *next)) next = next_reasons_;
  if (params.mc_update_interval > Duration{0} && (!next_figures_ || !next || *next_figures_ < *next))
    next = next_figures_.value_or(steady_now());
  return next;
}

void ForwardIn::tell_figures(const sched::cycle::Snapshot& snapshot, WallTime now) {
  const auto& rules = snapshot.rules();
  std::vector<bool> wanted(rules.queues.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = rules.queues[i].row != nullptr && !rules.queues[i].row->receive_jobs_from.empty();
  const auto figures = sched::cycle::queue_figures(snapshot, now, wanted);
  for (const std::string& cluster : serving()) {
    const auto found = peers_.find(cluster);
    if (found == peers_.end() || found->second.greets) continue;  // what we hold is said first
    const Peer& peer = found->second;
    wire::PeerMessage message;
    auto& all = *message.mutable_figures();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i] || !sched::book::receives(*rules.queues[i].row, cluster)) continue;
      const auto number = peer.numbers.find(rules.queues[i].name);
      auto& told = *all.add_queues();
      put(figures[i], told);
      told.set_name(rules.queues[i].name);
      told.set_priority(rules.queues[i].priority);
      told.set_accounts_for(number == peer.numbers.end() ? 0 : number->second);
      put_room(*rules.queues[i].row, forwards_.waiting_in(rules.queues[i].name), told);
    }
    if (all.queues_size() != 0) handler_.say(cluster, std::move(message));
  }
}

}  // namespace rollcall::mbatchd
