// MelimChild: the MELIM of this host as LIM's child: started, fed with orders, listened to, started anew when it ends.
//
// Owns the process, the socketpair that is its descriptor 3, and the pause between starts. What it reports is handed
// over; that its values outlive it is the stepper's matter. LIM is never hurt by it: a MELIM that sends nonsense, floods
// or stops reading is ended like one that died. It reads no file and decides nothing about elims.
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
  Duration good = std::chrono::seconds(60);  // who has lived for so long begins with the least again
  Duration grace = std::chrono::seconds(5);  // from TERM to KILL: it ends its elims in that time
};

class MelimChild {
 public:
  struct Handler {
    std::function<void(const wire::MelimReport&)> report;
    std::function<void(const std::string& how)> lost;  // it ended and was not asked to
    std::function<void()> gone;                        // after shut_down(): nothing of it is left
  };

  MelimChild(boost::asio::io_context& loop, MelimProgram program, const MelimPauses& pauses,
             const io::Log& log, Handler handler);
  ~MelimChild();

  // What it is to do from now on. No resources: it is not needed, and ends.
  void order(const wire::MelimOrders& orders);
  void shut_down();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::lim
