#include "sched/policy/peers/news_pace.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

#include "sched/policy/values/elsewhere.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::peers {
namespace {

// Whether the report says what the job's record does not.
bool is_news(const HostReport& report, const wire::JobRecord& record) {
  const bool suspended = record.status() == wire::STATUS_SSUSP || record.status() == wire::STATUS_USUSP;
  if (const auto* told = std::get_if<report::Elsewhere>(&report))
    return !record.forwarded().has_there() || differ_beyond_usage(record.forwarded().there(), told->job);
  const bool unknown = record.status() == wire::STATUS_UNKWN || record.status() == wire::STATUS_ZOMBI;
  if (std::holds_alternative<report::Unheard>(report)) return !unknown;
  if (std::holds_alternative<report::HeardAgain>(report)) return unknown;
  if (std::holds_alternative<report::Stopped>(report)) return !suspended;
  if (std::holds_alternative<report::Resumed>(report)) return suspended;
  return true;  // Running
}

}  // namespace

std::optional<Attempt> NewsPace::attempt_of(const HostReport& report) {
  if (const auto* told = std::get_if<report::Elsewhere>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::Running>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::Stopped>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::Resumed>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::Unheard>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::HeardAgain>(&report)) return told->attempt;
  if (const auto* told = std::get_if<report::Over>(&report)) return told->attempt;
  return std::nullopt;
}

std::optional<NewsPace::Kind> NewsPace::kind_of(const HostReport& report) {
  if (std::holds_alternative<report::Running>(report)) return Kind::place;
  if (std::holds_alternative<report::Elsewhere>(report) || std::holds_alternative<report::Stopped>(report) ||
      std::holds_alternative<report::Resumed>(report) || std::holds_alternative<report::Unheard>(report) ||
      std::holds_alternative<report::HeardAgain>(report))
    return Kind::run;
  return std::nullopt;
}

// One change more of the attempt: false where it has to wait.
bool NewsPace::takes(OfCluster& cluster, OfAttempt& attempt, TimePoint now) {
  attempt.last = now;
  if (attempt.free > 0) return --attempt.free, true;
  const std::chrono::duration<double> passed = now - cluster.at;
  cluster.tokens = std::min<double>(kMostAtOnce, cluster.tokens + std::max(0.0, passed.count()) * kPerSecond);
  cluster.at = now;
  if (now < attempt.next || cluster.tokens < 1) return false;
  cluster.tokens -= 1;
  attempt.next = now + kPause;
  return true;
}

// `kind`: none: of all kinds.
void NewsPace::drop(OfCluster& cluster, const Attempt& attempt, std::optional<Kind> kind) {
  const auto found = cluster.attempts.find(attempt);
  if (found == cluster.attempts.end() || found->second.waiting.empty()) return;
  kind ? void(found->second.waiting.erase(*kind)) : found->second.waiting.clear();
  if (found->second.waiting.empty()) cluster.turns.erase({found->second.next, attempt});
}

NewsPace::OfCluster& NewsPace::of_host(const std::string& host) {
  return clusters_[std::string(HostId(host).cluster())];
}

void NewsPace::settled(const std::string& host, const Attempt& attempt) {
  OfCluster& cluster = of_host(host);
  drop(cluster, attempt, std::nullopt);
  cluster.attempts.erase(attempt);
}

bool NewsPace::passes(const std::string& host, const HostReport& report, const Job* job, TimePoint now) {
  const auto attempt = attempt_of(report);
  if (!attempt) return true;
  OfCluster& cluster = of_host(host);
  // An end that is told does not make changes free again: the attempt may be offered once more.
  if (std::holds_alternative<report::Over>(report)) return drop(cluster, *attempt, std::nullopt), true;
  // The Book passes over what is said of an attempt that is not its job's.
  if (job == nullptr || job->record.attempt() != attempt->number || !placed(job->status())) return true;
  const Kind kind = *kind_of(report);
  if (!is_news(report, job->record)) return drop(cluster, *attempt, kind), true;
  OfAttempt& of = cluster.attempts[*attempt];
  if (of.waiting.empty() && takes(cluster, of, now)) return true;
  wait(cluster, *attempt, {host, report}, now);
  return false;
}

void NewsPace::wait(OfCluster& cluster, const Attempt& attempt, Report report, TimePoint now) {
  OfAttempt& of = cluster.attempts.at(attempt);
  if (of.waiting.empty()) {
    of.next = std::max(of.next, now + std::chrono::seconds(1));
    cluster.turns.insert({of.next, attempt});
  }
  if (!std::exchange(cluster.told, true))
    lines_.push_back("cluster " + std::string(HostId(report.host).cluster()) + " tells changes of job " +
                     text(attempt.job) + " faster than they are stored: after " + std::to_string(kFree) +
                     " changes of a job the last one in " + std::to_string(kPause / std::chrono::seconds(1)) +
                     " seconds counts; this is not said again");
  const Kind kind = *kind_of(report.report);
  of.waiting.insert_or_assign(kind, std::move(report));
}

std::vector<NewsPace::Report> NewsPace::due(TimePoint now) {
  std::vector<Report> due;
  for (auto& [name, cluster] : clusters_)
    while (!cluster.turns.empty() && cluster.turns.begin()->first <= now) {
      const auto turn = *cluster.turns.begin();
      OfAttempt& of = cluster.attempts.at(turn.second);
      cluster.turns.erase(turn);
      if (!takes(cluster, of, now)) {  // the cluster has had its share of this second
        of.next = now + std::chrono::seconds(1);
        cluster.turns.insert({of.next, turn.second});
        break;
      }
      for (auto& [kind, report] : std::exchange(of.waiting, {})) due.push_back(std::move(report));
    }
  forget_idle(now);
  return due;
}

void NewsPace::forget_idle(TimePoint now) {
  constexpr Duration kIdle = kPause * kFree;  // it would have had as many changes meanwhile
  if (now < looked_ + kIdle) return;
  looked_ = now;
  for (auto& [name, cluster] : clusters_)
    std::erase_if(cluster.attempts, [&](const auto& one) {
      return one.second.waiting.empty() && one.second.last + kIdle < now;
    });
}

std::optional<TimePoint> NewsPace::next_due() const {
  std::optional<TimePoint> next;
  for (const auto& [name, cluster] : clusters_)
    if (!cluster.turns.empty() && (!next || cluster.turns.begin()->first < *next))
      next = cluster.turns.begin()->first;
  return next;
}

}  // namespace rollcall::sched::peers
