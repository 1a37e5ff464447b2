#include "sched/client/orders.hpp"

namespace rollcall::client {
namespace {

Answered<Outcomes> send(Session& session, wire::BatchRequest request) {
  auto reply = session.ask(std::move(request));
  if (!reply) return std::move(reply.error());
  return std::move(*reply->mutable_outcomes());
}

Answered<Outcomes> send_to_some(Session& session, wire::BatchRequest request) {
  auto outcomes = send(session, std::move(request));
  if (outcomes && outcomes->outcomes().empty())
    return Failure{Failure::Kind::no_match, "No matching job found"};
  return outcomes;
}

}  // namespace

Answered<Outcomes> signal_jobs(Session& session, wire::SignalJobs order) {
  wire::BatchRequest request;
  *request.mutable_signal() = std::move(order);
  return send_to_some(session, std::move(request));
}

Answered<Outcomes> switch_jobs(Session& session, wire::SwitchJobs order) {
  wire::BatchRequest request;
  *request.mutable_switch_jobs() = std::move(order);
  return send_to_some(session, std::move(request));
}

Answered<Outcomes> move_job(Session& session, wire::MoveJob order) {
  wire::BatchRequest request;
  *request.mutable_move() = std::move(order);
  return send_to_some(session, std::move(request));
}

Answered<Outcomes> modify_jobs(Session& session, wire::ModifyJobs order) {
  wire::BatchRequest request;
  *request.mutable_modify() = std::move(order);
  return send(session, std::move(request));
}

Answered<wire::BatchReply> control(Session& session, wire::ControlBatch order) {
  wire::BatchRequest request;
  *request.mutable_control() = std::move(order);
  return session.ask(std::move(request));
}

}  // namespace rollcall::client
