// HostFilter: the hosts that a resource requirement of a command selects (bhosts -R). Private to this folder's .cpp files.
#pragma once

#include <optional>
#include <string>

#include "common/resreq/evaluate.hpp"
#include "sched/policy/answers/answers_parts.hpp"

namespace rollcall::sched::answers {

// It lives for one part only, because it refers to the present configuration.
class HostFilter {
 public:
  // `text`: a requirement as in -R; only its select section counts. Empty: every host fits.
  HostFilter(const AnswerView& view, const std::string& text);
  // The answer to a requirement that cannot be understood.
  std::optional<wire::BatchReply> refused() const;
  bool fits(HostNumber host) const;

 private:
  const AnswerView& view_;
  resreq::BindResult bound_;
};

}  // namespace rollcall::sched::answers
