#include "sched/policy/answers/answers.hpp"

#include <memory>

#include "sched/policy/answers/answers_parts.hpp"

namespace rollcall::sched::answers {
namespace {

using Parts = std::vector<wire::BatchReply>;

// Makes all parts when the first one is requested.
NextPart one_after_another(std::function<Parts(const AnswerView&)> make) {
  struct State {
    std::optional<Parts> parts;
    std::size_t at = 0;
  };
  return [make = std::move(make), state = std::make_shared<State>()](const AnswerView& view) -> AnswerPart {
    if (!state->parts) state->parts = make(view);
    if (state->at == state->parts->size()) return {};
    return (*state->parts)[state->at++];
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
      return one_after_another(
          [ask = request.queues()](const AnswerView& now) { return queues_answer(now, ask); });
    case wire::BatchRequest::kHosts:
      if (request.hosts().exported())
        return one_after_another(
            [ask = request.hosts()](const AnswerView& now) { return exported_answer(now, ask); });
      if (!request.hosts().shared()) return hosts_answer(view, request.hosts());
      return one_after_another(
          [ask = request.hosts()](const AnswerView& now) { return shared_answer(now, ask); });
    case wire::BatchRequest::kBorrowed:
      return borrowed_answer(view, request.borrowed());
    case wire::BatchRequest::kUsers:
      return one_after_another(
          [ask = request.users(), who](const AnswerView& now) { return users_answer(now, ask, who); });
    case wire::BatchRequest::kParameters:
      return one_after_another(parameters_answer);
    case wire::BatchRequest::kGroups:
      return one_after_another(
          [ask = request.groups()](const AnswerView& now) { return groups_answer(now, ask); });
    case wire::BatchRequest::kApplications:
      return one_after_another(
          [ask = request.applications()](const AnswerView& now) { return applications_answer(now, ask); });
    case wire::BatchRequest::kClusters:
      return one_after_another(clusters_answer);
    case wire::BatchRequest::kLimits:
      return one_after_another(
          [ask = request.limits()](const AnswerView& now) { return limits_answer(now, ask); });
    default:
      return std::nullopt;
  }
}

}  // namespace rollcall::sched::answers
