#include "sched/policy/answers.hpp"

#include <memory>

#include "sched/policy/answers_parts.hpp"

namespace rollcall::sched {
namespace {

NextPart one_after_another(std::vector<wire::BatchReply> parts) {
  auto all = std::make_shared<std::vector<wire::BatchReply>>(std::move(parts));
  return [all, at = std::size_t{0}](const AnswerView&) mutable -> std::optional<wire::BatchReply> {
    if (at == all->size()) return std::nullopt;
    return std::move((*all)[at++]);
  };
}

}  // namespace

wire::BatchReply refused_answer(wire::BatchReply::Refusal::Why why, std::string text) {
  wire::BatchReply reply;
  reply.set_last(true);
  reply.mutable_refusal()->set_why(why);
  reply.mutable_refusal()->set_text(std::move(text));
  return reply;
}

std::string official_host(const AnswerView& view, const std::string& name) {
  return view.snapshot.rules().cluster->names.official(name).value_or(name);
}

std::optional<NextPart> answer(const wire::BatchRequest& request, const Identity& who,
                               const AnswerView& view) {
  switch (request.request_case()) {
    case wire::BatchRequest::kJobs:
      return jobs_answer(view, request.jobs(), who);
    case wire::BatchRequest::kQueues:
      return one_after_another(queues_answer(view, request.queues()));
    case wire::BatchRequest::kHosts:
      return one_after_another(request.hosts().shared() ? shared_answer(view, request.hosts())
                                                        : hosts_answer(view, request.hosts()));
    case wire::BatchRequest::kUsers:
      return one_after_another(users_answer(view, request.users(), who));
    case wire::BatchRequest::kParameters:
      return one_after_another(parameters_answer(view));
    case wire::BatchRequest::kGroups:
      return one_after_another(groups_answer(view, request.groups()));
    case wire::BatchRequest::kApplications:
      return one_after_another(applications_answer(view, request.applications()));
    case wire::BatchRequest::kLimits:
      return one_after_another(limits_answer(view, request.limits()));
    default:
      return std::nullopt;
  }
}

}  // namespace rollcall::sched
