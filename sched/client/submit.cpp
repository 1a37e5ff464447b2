#include "sched/client/submit.hpp"

namespace rollcall::client {

Answered<wire::BatchReply::Accepted> submit(Session& session, SubmitOrder order) {
  wire::BatchRequest request;
  auto& submission = *request.mutable_submit();
  submission.set_check_only(order.check_only);
  submission.set_token(std::move(order.token));
  *submission.add_jobs() = std::move(order.job);
  auto reply = session.ask(std::move(request));
  if (!reply) return std::move(reply.error());
  if (reply->submitted().jobs_size() != 1)
    return Failure{Failure::Kind::garbled, "mbatchd: found an answer to something else, expected ours"};
  auto& accepted = *reply->mutable_submitted()->mutable_jobs(0);
  if (accepted.has_refusal())
    return Failure{Failure::Kind::refused, accepted.refusal().text(), accepted.refusal()};
  return std::move(accepted);
}

}  // namespace rollcall::client
