// SideThread: work that may hang, done outside of a daemon's loop: questions to munged, to a name server, to a directory.
//
// Owns one thread, which it starts at the first piece of work, and the patience for each piece. Everything here is called in
// the loop but `work`, which runs in the thread and must hold nothing of the loop's: no references, and copies of what it
// needs. `done` is called once for each piece, in the loop, never before ask() returns; only where it says `finished` has
// the work been done, and what it wrote may be read. After the end of the SideThread nothing is called; a thread whose work
// hangs is left to itself. One loop, one thread calls it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "common/base/job_clock.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

class SideThread {
 public:
  struct Limits {
    std::size_t waiting = 64;                     // pieces that are not done yet
    Duration patience = std::chrono::seconds(2);  // for one, its wait for the others included
  };
  enum class End {
    finished,
    late,  // its patience is over
    crowded,  // so many waited already that it was not even tried, or the system gave no thread or no memory for it
  };

  SideThread(boost::asio::io_context& loop, Limits limits);
  ~SideThread();

  void ask(std::function<void()> work, std::function<void(End)> done);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
