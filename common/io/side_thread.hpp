// SideThread: does work that may hang outside a daemon's loop: questions to munged, a name server, a directory.
//
// Owns one thread, started with the first work, and a time limit for each item. All functions are called in the loop except
// `work`, which runs in the thread and must own everything it uses. `done` is called once for each item, in the loop, never
// before ask() returns. Only with `finished` was the work done, and may its results be read. After the end of the SideThread
// nothing is called; a thread whose work hangs is left behind. One loop, one thread calls it.
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
    std::size_t waiting = 64;                     // items that are not done
    Duration patience = std::chrono::seconds(2);  // for one item, including its time in the queue
  };
  enum class End {
    finished,
    late,     // its patience is over
    crowded,  // the queue was full, or the system gave no thread or memory: not tried
  };

  SideThread(boost::asio::io_context& loop, Limits limits);
  ~SideThread();

  void ask(std::function<void()> work, std::function<void(End)> done);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
