// MelimChild: the MELIM of this host as LIM's child: started, given orders, read, and restarted when it ends.
//
// Owns the process, the socketpair that is its descriptor 3, and the pause between starts. Its reports are handed over; the
// stepper keeps their values after its end. It cannot hurt LIM: a MELIM that sends invalid messages, floods or stops reading is
// ended like one that died. It reads no file and makes no decisions about elims.
//
// state x event                | orders (some) | orders (none) | it ended        | pause over | shut down
//   none                       | running       | -             |                 |            | gone
//   running                    | (sent)        | ending        | pausing, `lost` |            | ending, gone
//   pausing                    | -             | none          |                 | running    | gone
//   ending (TERM, then KILL)   | - (kept)      | -             | none or running |            | ending, gone
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/io/log.hpp"
#include "common/io/spawn.hpp"
#include "common/wire/load.pb.h"

namespace boost::asio {
class io_context;
}

namespace rollcall::lim {

struct MelimProgram {
  std::string path;                           // of the program melim
  std::optional<io::SpawnIdentity> identity;  // who it runs as; none: as LIM does
  std::optional<rlimit> open_files;           // the limit LIM was started with
  sigset_t mask{};                            // the same of its signal mask
};

struct MelimPauses {
  Duration least = std::chrono::seconds(1);  // between two starts; doubles each time
  Duration most = std::chrono::seconds(30);
  Duration good = std::chrono::seconds(60);  // one that has lived for so long starts with `least` again
  Duration grace = std::chrono::seconds(5);  // from TERM to KILL: it ends its elims in that time
};

class MelimChild {
 public:
  struct Handler {
    std::function<void(const wire::MelimReport&)> report;
    std::function<void(const std::string& how)> lost;  // it ended and was not asked to
    std::function<void()> gone;                        // after shut_down(): all its processes are gone
  };

  MelimChild(boost::asio::io_context& loop, MelimProgram program, const MelimPauses& pauses,
             const io::Log& log, Handler handler);
  ~MelimChild();

  // Its new orders. Without resources MELIM is not needed, and is ended.
  void order(const wire::MelimOrders& orders);
  void shut_down();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::lim
