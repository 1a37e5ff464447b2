// suspend_reasons: why a job is suspended, for bjobs: LSF's texts, and our words. A function.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/answers/answers.hpp"

namespace rollcall::sched::answers {

struct SuspendReason {
  std::string text;  // LSF's
  std::string why;   // what to do about it
};
// Of a job that has hosts; empty: it is not suspended.
std::vector<SuspendReason> suspend_reasons(const AnswerView& view, const wire::JobRecord& record);

}  // namespace rollcall::sched::answers
