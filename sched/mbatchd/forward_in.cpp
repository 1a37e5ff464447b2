#include "sched/mbatchd/forward_in.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/io/local_time.hpp"
#include "sched/mbatchd/forward_wire.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/cycle/queue_figures.hpp"
#include "sched/policy/jobs/site_rules.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/definitions.hpp"
#include "sched/policy/peers/lease_messages.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;
using sched::JobKey;
using Over = wire::ForwardOver;

constexpr std::size_t kMostAccounts = 100'000;
constexpr Duration kAccountKept = std::chrono::minutes(1);
constexpr std::size_t kRoom = 64 * 1024;
// MC_RUSAGE_UPDATE_INTERVAL where it is not set and reasons are told at no interval.
constexpr Duration kUsageInterval = std::chrono::seconds(300);

// Whether the time of `next` has come; then, and at the first call, sets it for the time after. An interval of 0 never comes.
bool comes(std::optional<TimePoint>& next, Duration interval, TimePoint now) {
  if (interval <= Duration{0}) return next.reset(), false;
  const bool due = next && now >= *next;
  if (!next || due) next = now + interval;
  return due;
}

// The Book's facts at one time.
class HeldJobs : public peers::InboundForwards::Jobs {
 public:
  HeldJobs(const sched::book::JobTable& jobs, const sched::book::ForwardedJobs& forwards,
           const std::function<std::string(JobKey)>& why, WallTime now)
      : jobs_(jobs), forwards_(forwards), why_(why), now_(now) {}
  std::vector<JobKey> held_for(const std::string& cluster) const override {
    return forwards_.held_for(cluster);
  }
  std::optional<sched::SaidOfAttempt> said_of(JobKey job) const override {
    return forwards_.said_of(job, now_);
  }
  const sched::Job* find(JobKey job) const override { return jobs_.find(job); }
  std::string why(JobKey job) const override { return why_(job); }

 private:
  const sched::book::JobTable& jobs_;
  const sched::book::ForwardedJobs& forwards_;
  const std::function<std::string(JobKey)>& why_;
  const WallTime now_;
};

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

// The same of a cluster that root does not run: all its jobs run as mbatchd's user, its administrator.
std::string keeps_out_of_own(const sched::ConfigView& files, const sched::Identity& who) {
  if (who.uid != geteuid()) return "mbatchd there is not run by root, and runs no jobs of user " + who.user;
  if (files.cluster->programs.mbatchd.own_user_guests) return "";
  return "mbatchd there is run by user " + who.user +
         ", its administrator; ROLLCALL_GUEST_OWN_USER=Y of its lsf.conf lets jobs of other clusters run so";
}

bool on_leases(const wire::ForwardOffer& offered) { return offered.has_lent() || offered.part_size() != 0; }

wire::PeerMessage applications_for(const std::string& cluster, const Configuration& configuration) {
  wire::PeerMessage message;
  auto& all = *message.mutable_applications();
  all.set_tells_queues(true);
  for (const auto& queue : configuration.files.lsb->queues)
    if (sched::book::receives(queue, cluster)) all.add_queues(queue.name);
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
  for (const std::string& cluster : in_.connected()) tell_about(cluster);
  if (in_.any()) handler_.turn_soon();
}

// What the files say to the cluster.
void ForwardIn::tell_about(const std::string& cluster) {
  in_.also(cluster, applications_for(cluster, *configuration_));
  if (auto told = definitions_for(cluster, *configuration_)) in_.also(cluster, std::move(*told));
}

// ---------------------------------------------------------------- the other cluster

void ForwardIn::serves(const std::string& cluster) {
  in_.serves(cluster);
  tell_about(cluster);
  forget_told(cluster);
  handler_.changed(forwards_.is_back(cluster));
  handler_.turn_soon();
}

void ForwardIn::forget_told(const std::string& cluster) {
  told_.erase(cluster);
  std::erase_if(closed_told_, [&](const auto& one) { return one.first == cluster; });
}

void ForwardIn::lost(const std::string& cluster) {
  in_.lost(cluster);
  forget_told(cluster);
}

Result<void> ForwardIn::heard(const std::string& cluster, wire::PeerMessage message, WallTime now) {
  if (auto waits = in_.heard(cluster, std::move(message)); !waits) return waits;
  work(cluster, now);
  return {};
}

void ForwardIn::work(const std::string& cluster, WallTime now) {
  while (const wire::PeerMessage* const message = in_.next(cluster)) {
    if (!take(cluster, *message, now)) return;
    in_.taken(cluster);
  }
}

// False: it waits for a look-up.
bool ForwardIn::take(const std::string& cluster, const wire::PeerMessage& message, WallTime now) {
  using What = wire::PeerMessage::WhatCase;
  switch (message.what_case()) {
    case What::kOffer:
      return take_offer(cluster, message.offer(), now);
    case What::kSignal:
      answer(cluster, forwards_.signal(cluster, message.signal(), now));
      return true;
    case What::kRecall:
      answer(cluster, forwards_.recall(cluster, message.recall(), now));
      return true;
    case What::kAcknowledge:
      handler_.changed(forwards_.acknowledge(cluster, message.acknowledge(), now));
      return true;
    default:
      return true;
  }
}

bool ForwardIn::take_offer(const std::string& cluster, const wire::ForwardOffer& offered, WallTime now) {
  if (!peers::check(offered.attempt())) return true;
  if (forwards_.knows(cluster, offered.attempt()))
    return answer(cluster, forwards_.offer(cluster, offered, {}, {}, now)), true;
  const auto claim = peers::claim_of(offered);
  if (!claim) return refuse(cluster, offered, claim.error().text, Over::OF_THE_JOB), true;
  const auto user = peers::accepted(user_map_of(configuration_->files), cluster, *claim);
  if (!user) return refuse(cluster, offered, user.error().text, Over::OF_ITS_USER), true;
  const auto account = accounts_.find(*user);
  if (account == accounts_.end() || steady_now() - account->second.first > kAccountKept)
    return look_up(cluster, *user), false;
  offer(cluster, offered, claim->user, account->second.second, now);
  return true;
}

void ForwardIn::look_up(const std::string& cluster, const std::string& user) {
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
  aside_.ask(work,
             [this, cluster, user, account, connection = in_.looks_up(cluster)](io::SideThread::End end) {
               if (end != io::SideThread::End::finished)
                 account->failure = "the user database did not answer in time";
               if (account->failure.empty()) {
                 if (accounts_.size() > kMostAccounts) accounts_.clear();
                 accounts_[user] = {steady_now(), *account};
               }
               if (!in_.looked_up(cluster, connection)) return;
               if (const auto* const message = in_.next(cluster); message && !account->failure.empty()) {
                 refuse(cluster, message->offer(), account->failure, Over::OF_ITS_USER);
                 in_.taken(cluster);
               }
               this->work(cluster, io::wall_now());
             });
}

void ForwardIn::offer(const std::string& cluster, const wire::ForwardOffer& offered,
                      const std::string& claimed, const Account& account, WallTime now) {
  if (configuration_->files.lsb->queue(offered.queue()))  // a peer may name as many as it likes
    in_.offered(cluster, offered.queue(), offered.number());
  if (!account.found)
    return refuse(cluster, offered, "user " + account.who.user + " is not known here", Over::OF_ITS_USER);
  sched::Identity who = account.who;
  const auto& administrators = configuration_->files.cluster->cluster.administrators;
  who.is_admin = who.uid == 0 || who.uid == geteuid() ||
                 std::find(administrators.begin(), administrators.end(), who.user) != administrators.end();
  wire::Submission asked = peers::crossing(offered.asked());
  asked.set_user(claimed);
  const bool own_cluster = geteuid() != 0;
  auto why =
      own_cluster ? keeps_out_of_own(configuration_->files, who) : keeps_out(configuration_->files, who);
  if (!why.empty()) return refuse(cluster, offered, std::move(why), Over::OF_ITS_USER);
  if (own_cluster)
    who.is_admin = false;  // it came from another cluster, and is no order of the administrator's
  if (!on_leases(offered)) return answer(cluster, forwards_.offer(cluster, offered, asked, who, now));
  wire::ForwardOffer lent = offered;
  lent.clear_asked();
  if (offered.has_programs()) *lent.mutable_programs() = peers::believed(offered.programs());
  lent.clear_reserved();
  for (const auto& resource : peers::believed_of_reserved(offered.reserved()))
    *lent.add_reserved() = resource;
  answer(cluster, handler_.start_on_lent_slots(cluster, lent, asked, who, now));
}

void ForwardIn::answer(const std::string& cluster, sched::book::ForwardedJobs::Answered answered) {
  handler_.changed(std::move(answered.effects));
  in_.answered(cluster, answered.said);
  handler_.turn_soon();
}

void ForwardIn::refuse(const std::string& cluster, const wire::ForwardOffer& offered, std::string why,
                       Over::Scope scope) {
  auto over = sched::book::refused(offered.attempt(), std::move(why), scope);
  if (on_leases(offered)) over.set_how(wire::ForwardOver::NOT_STARTED);  // another host may take it
  in_.refused(cluster, std::move(over));
  handler_.turn_soon();
}

void ForwardIn::flush(WallTime now) {
  in_.flush(HeldJobs(jobs_, forwards_, handler_.why, now),
            [this](const std::string& cluster, wire::PeerMessage message) {
              handler_.say(cluster, std::move(message));
            });
  if (in_.greets()) handler_.turn_soon();
  for (const std::string& cluster : in_.connected()) work(cluster, now);  // what waited for room of answers
}

// ---------------------------------------------------------------- at intervals

void ForwardIn::tick(const sched::cycle::Snapshot& snapshot, WallTime now, TimePoint steady) {
  if (!in_.any()) return;
  const auto& params = configuration_->files.lsb->params;
  if (figures_due(snapshot, steady)) {
    next_figures_ = steady + params.mc_update_interval;
    tell_figures(snapshot, now);
  }
  const Duration reasons = params.mc_pending_reason_interval;
  const Duration usage =
      params.mc_rusage_update_interval.value_or(reasons > Duration{0} ? reasons : kUsageInterval);
  const HeldJobs jobs(jobs_, forwards_, handler_.why, now);
  if (comes(next_usage_, usage, steady)) in_.tell_running(jobs);
  if (comes(next_reasons_, reasons, steady)) {
    const int kb = params.mc_pending_reason_kb;
    in_.tell_reasons(jobs, kb == 0 ? std::nullopt : std::optional(static_cast<std::size_t>(kb) * 1024));
  }
  if (in_.anything_changed()) handler_.turn_soon();
}

std::optional<TimePoint> ForwardIn::next_tick() const {
  if (!in_.any()) return std::nullopt;
  const auto& params = configuration_->files.lsb->params;
  std::optional<TimePoint> next = next_usage_;
  if (next_reasons_ && (!next || *next_reasons_ < *next)) next = next_reasons_;
  if (params.mc_update_interval > Duration{0} && (!next_figures_ || !next || *next_figures_ < *next))
    next = next_figures_.value_or(steady_now());
  return next;
}

// Jobs wait for a queue that opens, and would be offered to one that closes. Where figures are told no more, those that say that a queue
// is closed are taken back once it is open.
bool ForwardIn::figures_due(const sched::cycle::Snapshot& snapshot, TimePoint steady) const {
  if (changed_since_told(snapshot, true)) return true;
  if (configuration_->files.lsb->params.mc_update_interval <= Duration{0}) return false;
  const auto greeted = in_.greeted();
  return !next_figures_ || steady >= *next_figures_ || changed_since_told(snapshot, false) ||
         std::any_of(greeted.begin(), greeted.end(),
                     [this](const std::string& cluster) { return !told_.contains(cluster); });
}

// A queue is open, or closed, and was the other way round when a cluster that it receives from was told its figures last.
bool ForwardIn::changed_since_told(const sched::cycle::Snapshot& snapshot, bool open) const {
  const auto& queues = snapshot.rules().queues;
  const auto clusters = in_.greeted();
  for (sched::cycle::QueueNumber i = 0; i < queues.size(); ++i) {
    if (queues[i].row == nullptr || snapshot.queue(i).open != open) continue;
    for (const std::string& cluster : clusters)
      if (sched::book::receives(*queues[i].row, cluster) &&
          closed_told_.contains({cluster, queues[i].name}) == open)
        return true;
  }
  return false;
}

void ForwardIn::tell_figures(const sched::cycle::Snapshot& snapshot, WallTime now) {
  const auto& rules = snapshot.rules();
  std::vector<bool> wanted(rules.queues.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = rules.queues[i].row != nullptr && !rules.queues[i].row->receive_jobs_from.empty();
  const auto figures = sched::cycle::queue_figures(snapshot, now, wanted);
  for (const std::string& cluster : in_.greeted()) {
    told_.insert(cluster);
    wire::PeerMessage message;
    auto& all = *message.mutable_figures();
    for (sched::cycle::QueueNumber i = 0; i < wanted.size(); ++i) {
      if (!wanted[i] || !sched::book::receives(*rules.queues[i].row, cluster)) continue;
      auto& told = *all.add_queues();
      put(figures[i], told);
      told.set_name(rules.queues[i].name);
      told.set_priority(rules.queues[i].priority);
      told.set_closed(!snapshot.queue(i).open);
      if (told.closed())
        closed_told_.emplace(cluster, told.name());
      else
        closed_told_.erase({cluster, told.name()});
      told.set_accounts_for(in_.accounts_for(cluster, rules.queues[i].name));
      put_room(*rules.queues[i].row, forwards_.waiting_in(rules.queues[i].name), told);
    }
    if (all.queues_size() != 0) handler_.say(cluster, std::move(message));
  }
}

}  // namespace rollcall::mbatchd
