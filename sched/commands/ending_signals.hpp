// EndingSignals: SIGINT, SIGTERM and SIGHUP as a readable descriptor, while it lives. One that comes while another reader of them
// lives within is that reader's.
#pragma once

#include <signal.h>

namespace rollcall::sched {

class EndingSignals {
 public:
  EndingSignals();
  ~EndingSignals();  // what has come and was not taken is dropped
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  int descriptor() const { return descriptor_; }
  // The last signal; 0: none.
  int take() const;

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace rollcall::sched
