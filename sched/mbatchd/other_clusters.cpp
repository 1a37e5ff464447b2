#include "sched/mbatchd/other_clusters.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>

#include "common/io/local_time.hpp"
#include "common/io/memory_reserve.hpp"
#include "sched/mbatchd/steady_clock.hpp"
#include "sched/policy/jobs/job_life.hpp"
#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/span_messages.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::JobKey;

// Attempts on lent hosts are LeaseIn's, all others ForwardOut's. Both hear of each part.
std::pair<wire::PeerMessage, wire::PeerMessage> forwarded_and_lent(const wire::PeerMessage& message) {
  std::pair<wire::PeerMessage, wire::PeerMessage> parts;
  for (auto* part : {&parts.first, &parts.second}) part->mutable_held()->set_last(message.held().last());
  const auto part_of = [&](const wire::ForwardAttempt& attempt) {
    return (attempt.lent_host().empty() ? parts.first : parts.second).mutable_held();
  };
  for (const auto& one : message.held().running()) *part_of(one.attempt())->add_running() = one;
  for (const auto& one : message.held().over()) *part_of(one.attempt())->add_over() = one;
  return parts;
}

}  // namespace

OtherClusters::OtherClusters(boost::asio::io_context& loop, io::Links& links,
                             const sched::book::JobTable& jobs, sched::book::HostLedger& hosts,
                             sched::book::ForwardedJobs& forwards, sched::answers::SnapshotKeeper& keeper,
                             io::JobStore& store, io::LoadedPeerKeys keys, io::Log& log, Handler handler)
    : loop_(loop),
      jobs_(jobs),
      hosts_(hosts),
      forwards_(forwards),
      keeper_(keeper),
      log_(log),
      handler_(std::move(handler)),
      say_([this](const std::string& cluster, wire::PeerMessage message) {
        return say(cluster, std::move(message));
      }),
      spans_(jobs, keys.accepts.own(),
             [this](const std::string& host) {
               return sched::HostId(host).ours() ? handler_.engine().place_of(host)
                                                 : lease_in_.place_of(host);
             }),
      peers_(loop, links, store, log, std::move(keys.dials), std::move(keys.errors), peers_handler()),
      forward_out_(jobs, log, static_cast<std::uint64_t>(io::wall_now().us), forward_out_handler()),
      forward_in_(loop, jobs, forwards, log, forward_in_handler()),
      lease_in_(jobs, hosts, keeper, log, lease_in_handler()),
      lease_out_(jobs, forwards, keeper, store, log, lease_out_handler()) {}

// ---- what the parts call

PeerLinks::Handler OtherClusters::peers_handler() {
  return {[this](const std::string& cluster) {
            handler_.lost(cluster);  // questions of a connection that this one replaces
            forward_out_.serves(cluster);
            forward_in_.serves(cluster);
            lease_in_.serves(cluster);
            lease_out_.serves(cluster);
          },
          [this](const std::string& cluster) {
            forward_out_.lost(cluster);
            forward_in_.lost(cluster);
            lease_in_.lost(cluster);
            lease_out_.lost(cluster);
            handler_.lost(cluster);
          },
          [this](const std::string& cluster, const wire::PeerMessage& message) {
            return heard(cluster, message);
          },
          [this](const sched::peers::step::Untaken& order) {
            io::changing([&] { forward_out_.untaken(order); });
          }};
}

ForwardOut::Handler OtherClusters::forward_out_handler() {
  return {say_,
          [this](const std::string& host, const sched::HostReport& report) { told(host, report); },
          handler_.gone,
          [this](JobKey job, const sched::event::Dispatched& event) {
            auto effects = hosts_.dispatch(job, event, io::wall_now());
            const bool done = !effects.empty();
            handler_.changed(std::move(effects));
            return done;
          },
          [this](const std::string& host, wire::PeerMessage::WhatCase kind) {
            using Unknown = sched::book::HostLedger::Unknown;
            hosts_.not_known(host, kind == wire::PeerMessage::kRecall ? Unknown::recalls : Unknown::signals);
            handler_.turn_soon();  // a command may wait for the recall
          },
          handler_.plan_soon,
          [this](const std::string& host) { return keeper_.type_of(host); },
          [this] { return keeper_.load_known(); }};
}

ForwardIn::Handler OtherClusters::forward_in_handler() {
  return {say_, handler_.changed, handler_.turn_soon, handler_.why,
          [this](const std::string& cluster, const wire::ForwardOffer& offer, const wire::Submission& asked,
                 const sched::Identity& who,
                 WallTime now) { return start_on_lent_slots(cluster, offer, asked, who, now); }};
}

sched::book::ForwardedJobs::Answered OtherClusters::start_on_lent_slots(const std::string& cluster,
                                                                        const wire::ForwardOffer& offer,
                                                                        const wire::Submission& asked,
                                                                        const sched::Identity& who,
                                                                        WallTime now) {
  if (offer.part_size() == 0) return lease_out_.start(cluster, offer, asked, who, now);
  if (!spans_.of_parts().has_room(cluster, offer.span()))
    return {{std::nullopt,
             sched::book::stale(offer.attempt(), "the hosts of the cluster's jobs have too many bytes")},
            {}};
  auto answered = lease_out_.start(cluster, offer, asked, who, now);
  if (const auto job = forwards_.job_of(cluster, offer.attempt()))
    spans_.of_parts().told(cluster, *job, offer.span());
  return answered;
}

LeaseIn::Handler OtherClusters::lease_in_handler() {
  return {say_,
          [this](const std::string& host, const sched::HostReport& report) { told(host, report); },
          [this](const std::string& host, const sched::HostReport& report) {
            boost::asio::post(loop_, [this, host, report] { handler_.told(host, report); });
          },
          handler_.gone,
          handler_.plan_soon,
          handler_.turn_soon,
          [this](const sched::Attempt& attempt) { return spans_.of(attempt); },
          [this](const std::string& host, const sched::Attempt& attempt) { await_span(host, attempt); },
          [this] { order_again(); }};
}

LeaseOut::Handler OtherClusters::lease_out_handler() {
  return {say_,
          handler_.changed,
          handler_.turn_soon,
          handler_.plan_soon,
          [this](const std::string& host) { return handler_.engine().reaches(host); },
          [this](const std::string& host, const sched::lease::GrantQuestion& question) {
            return handler_.engine().name_grants(host, question);
          },
          [this](const std::string& host) { return handler_.engine().place_of(host); }};
}

Result<void> OtherClusters::begin(const std::string& cluster) {
  if (auto known = lease_out_.begin(); !known) return known;
  return peers_.begin(cluster);
}

// ---- configuration and time

void OtherClusters::configure(const std::shared_ptr<const Configuration>& configuration) {
  forward_out_.configure(configuration);
  forward_in_.configure(configuration);
  lease_in_.configure(configuration);
  lease_out_.configure(configuration);
  peers_.configure(configuration->peers);
}

void OtherClusters::grants_held(const std::string& host, const sched::lease::GrantsOnHost& held) {
  io::changing([&] { lease_out_.held(host, held); });
}

void OtherClusters::jobs_changed(const std::set<JobKey>& jobs) {
  forward_in_.changed(jobs);
  lease_out_.changed(jobs);
}

void OtherClusters::planned(WallTime now) {
  forward_out_.offer(keeper_.snapshot(), now, steady_now());
  lease_in_.planned(keeper_.snapshot());
}

void OtherClusters::flush(WallTime now) {
  lease_out_.flush();  // before the reports of jobs on them
  lease_in_.flush();
  forward_in_.flush(now);
  forward_in_.tick(keeper_.snapshot(), now, steady_now());
}

void OtherClusters::tick(WallTime now) {
  if (const auto at = forward_out_.next_session(); at && now >= *at) handler_.plan_soon();
  lease_out_.tick(steady_now());
  for (const auto& one : news_.due(steady_now())) handler_.told(one.host, one.report);
}

Duration OtherClusters::wait(Duration longest, WallTime now, bool keeps) const {
  if (const auto at = forward_out_.next_session(); at && keeps)
    longest =
        std::min(longest, Duration(std::chrono::microseconds(std::max<std::int64_t>(0, at->us - now.us))));
  for (const auto at : {forward_in_.next_tick(), lease_out_.next_tick(), news_.next_due()})
    if (at) longest = std::min(longest, std::max(Duration{0}, *at - steady_now()));
  return longest;
}

// ---- what they say

// Of another cluster, which both sends jobs and runs ours.
Result<void> OtherClusters::heard(const std::string& cluster, const wire::PeerMessage& message) {
  using What = wire::PeerMessage::WhatCase;
  Result<void> result;
  io::changing([&] {
    switch (message.what_case()) {
      case What::kOffer:
        take_span(cluster, message.offer());
        [[fallthrough]];
      case What::kSignal:
      case What::kRecall:
      case What::kAcknowledge:
        result = forward_in_.heard(cluster, message, io::wall_now());
        break;
      case What::kPiece:
      case What::kPieceRead:
        handler_.piece(cluster, message);
        break;
      case What::kLeaseAnswer:
        result = lease_out_.heard(cluster, message.lease_answer());
        break;
      case What::kLeaseStands:
      case What::kLeaseOver:
      case What::kLeasesTold:
      case What::kLeaseLoads:
        result = lease_in_.heard(cluster, message);
        break;
      case What::kHeld: {
        const auto [forwarded, lent] = forwarded_and_lent(message);
        result = forward_out_.heard(cluster, forwarded, steady_now());
        if (result) result = lease_in_.heard(cluster, lent);
        break;
      }
      case What::kState:
        result = of_attempt(cluster, message, message.state().attempt());
        break;
      case What::kOver:
        result = of_attempt(cluster, message, message.over().attempt());
        break;
      default:
        result = forward_out_.heard(cluster, message, steady_now());
    }
  });
  return result;
}

Result<void> OtherClusters::of_attempt(const std::string& cluster, const wire::PeerMessage& message,
                                       const wire::ForwardAttempt& attempt) {
  return attempt.lent_host().empty() ? forward_out_.heard(cluster, message, steady_now())
                                     : lease_in_.heard(cluster, message);
}

// What another cluster tells of a job of ours: each change of it is stored, so not more of them than a job can have.
void OtherClusters::told(const std::string& host, const sched::HostReport& report) {
  const auto attempt = sched::peers::NewsPace::attempt_of(report);
  const sched::Job* job = attempt ? jobs_.find(attempt->job) : nullptr;
  if (!news_.passes(host, report, job, steady_now())) {
    for (const auto& line : news_.take_lines()) log_.warning(line);
    return handler_.turn_soon();  // it has a time
  }
  handler_.told(host, report);
  if (!std::holds_alternative<sched::report::Over>(report)) return;
  job = jobs_.find(attempt->job);
  if (!job || !sched::placed(job->status()) || job->record.attempt() != attempt->number)
    news_.settled(host, *attempt);
}

// A part that was accepted before mbatchd was restarted: what its cluster told of the job's hosts is in no store, and comes again.
void OtherClusters::take_span(const std::string& cluster, const wire::ForwardOffer& offer) {
  if (offer.part_size() == 0 || !sched::peers::check(offer.attempt()) || !sched::peers::check(offer.span()))
    return;
  const auto job = forwards_.job_of(cluster, offer.attempt());
  if (!job || spans_.of_parts().find(*job)) return;
  spans_.of_parts().told(cluster, *job, offer.span());
  order_again();
}

void OtherClusters::host_came(const std::string& host, const sched::report::HostCame& came) {
  lease_out_.host_came(host, came);
  order_again();
}

void OtherClusters::await_span(const std::string& host, const sched::Attempt& attempt) {
  unnamed_.insert({host, attempt});
  if (const auto span = spans_.of(attempt)) return hosts_.kept_back(attempt, sched::unnamed_host(*span));
  if (const sched::Job* part = jobs_.find(attempt.job))
    hosts_.kept_back(attempt, sched::HostId::whole_cluster(part->record.from().cluster()).text());
}

// Signals that were kept back with an order follow it.
void OtherClusters::order_again() {
  sched::Effects orders;
  for (const auto& [host, attempt] : std::exchange(unnamed_, {})) {
    hosts_.kept_back(attempt, "");
    const sched::Job* job = jobs_.find(attempt.job);
    if (!job || !sched::placed(job->status()) || job->record.attempt() != attempt.number ||
        job->record.hosts().empty())
      continue;
    if (!sched::is_part(job->record) && job->record.hosts(0).name() == host)
      orders.push_back(sched::effect::OrderStart{attempt.job, host, attempt.number});
    else
      orders.push_back(sched::effect::OrderExpect{attempt.job, host, attempt.number});
    for (const auto& sent : job->record.signals())
      orders.push_back(sched::effect::OrderSignal{host, sched::jobs::signal_order(job->record, sent)});
  }
  handler_.changed(std::move(orders));
}

// ---- answers and commands

sched::answers::RemoteLook OtherClusters::verdicts_of(JobKey job) const {
  return forward_out_.verdicts_of(keeper_.snapshot(), job, io::wall_now(), steady_now());
}

wire::BatchReply::ClusterRows OtherClusters::rows() const {
  auto rows = forward_out_.rows([this](const std::string& cluster) { return peers_.condition(cluster); },
                                steady_now());
  for (auto& row : *rows.mutable_rows()) {
    if (!row.receives() || row.status() != "ok") continue;
    row.set_why(forwards_.takes_no_more(row.cluster()));
    if (!row.why().empty()) row.set_status("reject");
  }
  return rows;
}

std::vector<sched::lease::LeaseReport> OtherClusters::leases() const {
  auto reports = lease_out_.reports();
  for (auto& borrowed : lease_in_.reports()) reports.push_back(std::move(borrowed));
  return reports;
}

std::string OtherClusters::status() const {
  std::set<std::string> clusters = peers_.clusters();
  clusters.merge(forwards_.clusters());
  std::string lines;
  for (const auto& cluster : clusters) {
    lines += "\ncluster " + cluster + ": " + peers_.status_of(cluster);
    const auto [there, here] = forwards_.shared_with(cluster);
    if (there + here != 0)
      lines += "; jobs there: " + std::to_string(there) + ", jobs of it here: " + std::to_string(here);
  }
  return lines;
}

std::pair<std::string, bool> OtherClusters::forget(const std::string& cluster, bool only_say) {
  auto done = only_say ? std::pair(peers_.why_not_forget(cluster), false) : peers_.forget(cluster);
  if (!only_say && done.second) lease_in_.forget_numbers(cluster);
  if (only_say && done.first.empty()) done = {"Cluster <" + cluster + "> is not connected", true};
  const auto [there, here] = forwards_.shared_with(cluster);
  if (done.second && there + here != 0)
    done.first += "; " + std::to_string(there) + " jobs are there and " + std::to_string(here) +
                  " of its jobs are here: once it connects, those that its store does not know are given up";
  return done;
}

sched::book::Applied OtherClusters::write_off(const wire::ControlBatch& asked, const sched::Identity& who) {
  sched::book::Applied done;
  auto& outcomes = *done.reply.mutable_outcomes();
  const auto fail = [&outcomes](const std::string& why) {
    auto& outcome = *outcomes.add_outcomes();
    outcome.set_text(why);
    outcome.set_failed(true);
    outcome.set_why(wire::BatchReply::Refusal::BAD_REQUEST);
  };
  for (const auto& cluster : asked.names()) {
    if (peers_.condition(cluster).first == "ok") {
      fail("cluster " + cluster + " is connected: its jobs are not lost; bkill ends those that are there");
      continue;
    }
    auto written = forwards_.write_off(cluster, who, asked.only_say(), io::wall_now());
    const bool again = lease_out_.is_written_off(cluster);
    auto leases = lease_out_.write_off(cluster, asked.only_say());
    if (written.lines.empty() && leases.empty())
      fail("cluster " + cluster + ": no job is there, none of its jobs is here, and no lease of it is open");
    if (written.lines.empty() && !leases.empty() && !asked.only_say() && !again)
      done.effects.push_back(sched::book::ForwardedJobs::written_off(cluster, who, io::wall_now()));
    std::move(leases.begin(), leases.end(), std::back_inserter(written.lines));
    for (auto& line : written.lines) {
      if (!asked.only_say()) log_.notice("write-off: " + line);
      outcomes.add_outcomes()->set_text(std::move(line));
    }
    done.effects.insert(done.effects.end(), std::make_move_iterator(written.effects.begin()),
                        std::make_move_iterator(written.effects.end()));
  }
  return done;
}

}  // namespace rollcall::mbatchd
