#include "elim/policy/melim/elim_end.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rollcall::melim::end {
namespace {

class Step {
 public:
  Step(State& state, TimePoint now) : s(state), now_(now) {}
  Effects take() { return std::move(effects_); }

  void on(const EndAsked&) {
    if (s.phase != Phase::running) return;
    effects_.push_back(TermGroup{});
    kill_in(kTermGrace);
  }

  void on(const ElimEnded& ended) {
    s.elim_ended = true;
    if (!ended.left) return finish();
    if (s.phase != Phase::running && s.phase != Phase::ending) return;
    effects_.push_back(TermAll{});
    kill_in(kLeftoverGrace);
  }

  void on(const Counted& counted) {
    if (counted.left == 0 && s.elim_ended) finish();
  }

  void on(const TimePassed&) {
    if (s.give_up_at && now_ >= *s.give_up_at) return finish();
    if (!s.kill_at || now_ < *s.kill_at) return;
    if (s.phase == Phase::ending) s.give_up_at = now_ + kGiveUp;
    s.phase = Phase::killing;
    effects_.push_back(KillAll{});
    s.kill_at = now_ + s.pause;
    s.pause = std::min(2 * s.pause, kLongestKillAgain);
  }

 private:
  void kill_in(Duration grace) {
    s.phase = Phase::ending;
    s.kill_at = s.kill_at ? std::min(*s.kill_at, now_ + grace) : now_ + grace;
  }

  void finish() {
    if (s.phase == Phase::finished) return;
    s.phase = Phase::finished;
    s.kill_at.reset();
    s.give_up_at.reset();
    effects_.push_back(Finish{});
  }

  State& s;
  TimePoint now_;
  Effects effects_;
};

}  // namespace

Effects step(State& state, const Event& event, TimePoint now) {
  Step one(state, now);
  std::visit([&](const auto& e) { one.on(e); }, event);
  return one.take();
}

std::optional<TimePoint> next_deadline(const State& state) {
  if (state.kill_at && state.give_up_at) return std::min(*state.kill_at, *state.give_up_at);
  return state.kill_at ? state.kill_at : state.give_up_at;
}

std::string text(const Effect& effect) {
  static constexpr std::array<const char*, std::variant_size_v<Effect>> kTexts{"TermGroup", "TermAll",
                                                                               "KillAll", "Finish"};
  return kTexts[effect.index()];
}

}  // namespace rollcall::melim::end
