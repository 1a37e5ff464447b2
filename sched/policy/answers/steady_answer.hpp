// SteadyAnswer: the parts of an answer, between which the files may be read anew and give hosts and queues other numbers. Before the first
// part the answer is begun again: the client has heard nothing. Later it is refused, since parts of before and of now do not fit.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "sched/policy/answers/answers.hpp"

namespace rollcall::sched::answers {

// Stamp: is another one once numbers mean something else.
template <class Stamp>
class SteadyAnswer {
 public:
  using Begin = std::function<std::optional<NextPart>(const AnswerView&)>;

  // `begun`: what `begin` has made just now.
  SteadyAnswer(NextPart begun, Begin begin, std::function<Stamp()> stamp)
      : next_(std::move(begun)), begin_(std::move(begin)), stamp_(std::move(stamp)), of_(stamp_()) {}

  AnswerPart operator()(const AnswerView& view) {
    if (!told_ && stamp_() != of_)
      if (auto anew = begin_(view)) next_ = std::move(*anew), of_ = stamp_();
    if (stamp_() != of_)
      return refused_answer(wire::BatchReply::Refusal::FAILED,
                            "the configuration has changed meanwhile, ask again");
    told_ = true;
    return next_(view);
  }

 private:
  NextPart next_;
  Begin begin_;
  std::function<Stamp()> stamp_;
  Stamp of_;
  bool told_ = false;
};

}  // namespace rollcall::sched::answers
