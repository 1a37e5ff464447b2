#include "sched/policy/peers/forward_messages.hpp"

#include <algorithm>

#include "sched/policy/peers/crossing.hpp"

namespace rollcall::sched::peers {

Attempt attempt_of(const wire::ForwardAttempt& attempt) { return {key_of(attempt.key()), attempt.attempt()}; }

wire::ForwardAttempt attempt_of(const Attempt& attempt) {
  wire::ForwardAttempt to;
  set_key(*to.mutable_key(), attempt.job);
  to.set_attempt(attempt.number);
  return to;
}

wire::PeerMessage offer_of(const order::Start& order) {
  wire::PeerMessage message;
  auto& offer = *message.mutable_offer();
  *offer.mutable_attempt() = attempt_of(order.attempt);
  offer.set_queue(order.queue);
  offer.set_number(order.forward);
  offer.mutable_attempt()->set_made(order.forward);
  *offer.mutable_asked() = crossing(*order.asked, order.attempt.job);
  offer.mutable_asked()->set_rerunnable(
      order.rerunnable);  // the execution queue's word does not count: lsb.queues(5)
  return message;
}

std::uint64_t made_of(const wire::JobRecord& record) {
  return record.has_forwarded() ? record.forwarded().number()
                                : static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.start_us()));
}

bool is_another(const Job* job, const wire::ForwardAttempt& told) {
  return job && placed(job->status()) && job->record.attempt() == told.attempt() && told.made() != 0 &&
         told.made() != made_of(job->record);
}

bool is_stale(const Job* job, const wire::ForwardAttempt& told) {
  return told.made() != 0 &&
         (!job || job->record.attempt() != told.attempt() || made_of(job->record) != told.made());
}

namespace {

void keep_known(wire::ForwardAttempt& attempt) {
  wire::ForwardAttempt known;
  set_key(*known.mutable_key(), key_of(attempt.key()));
  known.set_attempt(attempt.attempt());
  known.set_lent_host(attempt.lent_host());
  known.set_part(attempt.part());
  known.set_made(attempt.made());
  attempt = std::move(known);
}

}  // namespace

void keep_known(wire::PeerMessage& message) {
  using What = wire::PeerMessage::WhatCase;
  switch (message.what_case()) {
    case What::kOffer:
      keep_known(*message.mutable_offer()->mutable_attempt());
      for (auto& one : *message.mutable_offer()->mutable_reserved()) {
        wire::LentResource known;
        known.set_name(one.name());
        known.set_amount(one.amount());
        one = std::move(known);
      }
      return;
    case What::kHeld:
      for (auto& one : *message.mutable_held()->mutable_running()) keep_known(*one.mutable_attempt());
      for (auto& one : *message.mutable_held()->mutable_over()) keep_known(*one.mutable_attempt());
      return;
    case What::kState:
      return keep_known(*message.mutable_state()->mutable_attempt());
    case What::kOver:
      return keep_known(*message.mutable_over()->mutable_attempt());
    case What::kSignal:
      return keep_known(*message.mutable_signal()->mutable_attempt());
    case What::kRecall:
      return keep_known(*message.mutable_recall()->mutable_attempt());
    case What::kAcknowledge:
      return keep_known(*message.mutable_acknowledge()->mutable_attempt());
    default:
      return;
  }
}

wire::PeerMessage end_of_stranger(const wire::ForwardState& state) {
  wire::PeerMessage message;
  if (state.attempt().part()) {
    *message.mutable_recall()->mutable_attempt() = state.attempt();
    return message;
  }
  *message.mutable_signal()->mutable_attempt() = state.attempt();
  auto& kill = *message.mutable_signal()->mutable_sent();
  kill.set_action(wire::SentSignal::SEND);
  kill.set_signal(9);
  kill.set_number(std::uint64_t{1} << 62);
  return message;
}
wire::PeerMessage end_of_stranger(const wire::ForwardOver& over) {
  wire::PeerMessage message;
  *message.mutable_acknowledge()->mutable_attempt() = over.attempt();
  return message;
}

wire::PeerMessage signal_of(const order::Signal& order) {
  wire::PeerMessage message;
  *message.mutable_signal()->mutable_attempt() = attempt_of(order.attempt);
  *message.mutable_signal()->mutable_sent() = order.sent;
  return message;
}

wire::PeerMessage acknowledge_of(const Attempt& attempt, const wire::JobRecord* record) {
  wire::PeerMessage message;
  *message.mutable_acknowledge()->mutable_attempt() = attempt_of(attempt);
  if (record && record->attempt() == attempt.number && finished(record->status()) &&
      record->post_status() == wire::POST_RUNNING)
    message.mutable_acknowledge()->set_post_open(true);
  return message;
}

wire::PeerMessage recall_of(const Attempt& attempt) {
  wire::PeerMessage message;
  *message.mutable_recall()->mutable_attempt() = attempt_of(attempt);
  return message;
}

report::HostCame came_of(const wire::ForwardHeld& held) {
  report::HostCame came;
  for (const auto& state : held.running())
    if (check(state.attempt()))
      came.jobs.push_back({attempt_of(state.attempt()), report::Held::State::starting, true});
  for (const auto& over : held.over())
    if (check(over.attempt()))
      came.jobs.push_back({attempt_of(over.attempt()), report::Held::State::over, true});
  return came;
}

report::Over over_of(const wire::ForwardOver& told) {
  using How = report::Over::How;
  report::Over over;
  over.attempt = attempt_of(told.attempt());
  over.exit_status = told.exit_status();
  over.term_reason = told.term_reason();
  over.why = told.why();
  over.run_s = told.run_s();
  if (told.has_took_s()) over.took_s = told.took_s();
  if (told.has_ended_s_ago()) over.ended_s_ago = told.ended_s_ago();
  over.post_follows = told.how() == wire::ForwardOver::ENDED && told.post() != wire::POST_NONE;
  if (told.job().has_usage()) over.usage = told.job().usage();
  if (told.how() == wire::ForwardOver::ENDED && told.job().has_key()) over.there = told.job();
  switch (told.how()) {
    case wire::ForwardOver::REFUSED:
      over.how = How::refused;
      break;
    case wire::ForwardOver::WITHDRAWN:
      over.how = How::withdrawn;
      break;
    case wire::ForwardOver::UNKNOWN:
      over.how = How::never_seen;
      break;
    case wire::ForwardOver::STALE:
      over.how = How::refused;
      break;
    case wire::ForwardOver::PRE_EXEC_FAILED:
      over.how = How::pre_exec_failed;
      break;
    case wire::ForwardOver::NOT_STARTED:
      over.how = How::not_started;
      break;
    case wire::ForwardOver::LOST:
      over.how = How::host_restarted;
      if (over.why.empty()) over.why = "its cluster has lost it with its host or its shepherd";
      break;
    default:
      over.how = How::ended;
  }
  return over;
}

std::optional<report::PostOver> post_over_of(const wire::ForwardOver& told) {
  if (told.how() != wire::ForwardOver::ENDED) return std::nullopt;
  if (told.post() != wire::POST_DONE && told.post() != wire::POST_ERR) return std::nullopt;
  return report::PostOver{attempt_of(told.attempt()), told.post() == wire::POST_ERR};
}

}  // namespace rollcall::sched::peers
