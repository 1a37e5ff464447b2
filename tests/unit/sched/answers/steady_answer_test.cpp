// SteadyAnswer: the files are read anew while an answer is made.
#include "sched/policy/answers/steady_answer.hpp"

#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

// An answer whose parts say of which reading of the files they are.
class Steady : public Answers {
 protected:
  NextPart parts() {
    return [of = files](const AnswerView&) { return refused_answer({}, "part of " + std::to_string(of)); };
  }
  SteadyAnswer<int> answer() {
    return {parts(), [this](const AnswerView&) { return std::optional(parts()); }, [this] { return files; }};
  }
  std::string next(SteadyAnswer<int>& answer) { return answer(view())->refusal().text(); }
  int files = 1;
};

TEST_F(Steady, IsBegunAnewWhereNothingWasToldYet) {
  auto answer = this->answer();
  files = 2;
  EXPECT_EQ(next(answer), "part of 2");
  EXPECT_EQ(next(answer), "part of 2");
}

TEST_F(Steady, IsRefusedWhereSomeOfItWasTold) {
  auto answer = this->answer();
  EXPECT_EQ(next(answer), "part of 1");
  files = 2;
  EXPECT_EQ(next(answer), "the configuration has changed meanwhile, ask again");
}

}  // namespace
}  // namespace rollcall::sched::answers
