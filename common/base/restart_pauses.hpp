// RestartPauses: when a daemon that died is started again, and again. A value; a pure rule.
//
// The first time at once, then after 5, 10, 20, 40 and at last always 60 seconds: a daemon that cannot run must not fill the
// machine with starts. A death that comes more than ten minutes after the last start counts as a first one.
#pragma once

#include <algorithm>
#include <chrono>

namespace rollcall {

class RestartPauses {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Pause = std::chrono::seconds;

  // Whether it may be started now that it is found dead.
  bool may_start(Time now) {
    if (tries_ > 0 && now - last_ > kForgotten) tries_ = 0;
    return tries_ == 0 || now - last_ >= pause();
  }
  void started(Time now) {
    ++tries_;
    last_ = now;
  }

 private:
  static constexpr Pause kFirst{5}, kLongest{60}, kForgotten{600};
  Pause pause() const { return std::min(kLongest, kFirst * (1 << std::min(tries_ - 1, 10))); }

  int tries_ = 0;
  Time last_{};
};

}  // namespace rollcall
