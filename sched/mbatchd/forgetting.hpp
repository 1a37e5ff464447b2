// Forgetting: removes jobs and events that are older than JOB_HISTORY_DAYS from the store, in steps too short to delay a turn.
//
// It decides when; the store decides what may be removed (common/io/job_store.hpp). A step is a transaction of its own. A pass
// begins an hour after the last one has ended. Steps take at most a tenth of the time.
// Nothing is removed while an event file lacks events of the store, or the store fails. Owned by mbatchd's one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/job_clock.hpp"
#include "common/base/wall_time.hpp"
#include "common/io/job_store.hpp"
#include "common/io/log.hpp"

namespace rollcall::mbatchd {

class Forgetting {
 public:
  using Steady = std::chrono::steady_clock;

  explicit Forgetting(const io::Log& log) : log_(log) {}

  // 0: nothing is forgotten.
  void configure(std::int64_t days);
  // Until the next step is due; none: there is none.
  std::optional<Duration> wait() const;
  // Does nothing where no step is due. `behind`: an event file lacks events of the store.
  void step(io::JobStore& store, bool behind, WallTime now);

 private:
  void pass_over();

  const io::Log& log_;
  std::int64_t days_ = 0;
  Steady::time_point due_{};
  std::size_t jobs_ = 0, events_ = 0;  // of this pass
  bool failing_ = false;
};

}  // namespace rollcall::mbatchd
