// Removals: directories of jobs that are over, removed when it is quiet.
//
// Not at once, for two reasons. What users have put there may take long, so a thread does it. And jobs that start make files:
// a file system may have to look past each that was just removed (ext4 without a journal does for five seconds, a third of
// all CPU time of a job of `true`). It owns the names and the thread, not the directories' names in use; what it has
// not removed when RES ends, the next RES hands over anew.
//
//   add     -> waits                         job_starts -> another interval passes before anything is removed
//   an interval without a start, or `most` names wait -> all of them are removed
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::res {

class Removals {
 public:
  struct Pace {
    std::chrono::milliseconds quiet{1000};
    std::size_t most = 2000;
  };
  // `folder`: the directory that they are in.
  Removals(boost::asio::io_context& loop, io::Descriptor folder, Pace pace);

  void add(std::string name);
  void job_starts() { busy_ = true; }

 private:
  void wait();
  void remove_all();

  std::shared_ptr<const io::Descriptor> folder_;
  Pace pace_;
  boost::asio::steady_timer timer_;
  std::vector<std::string> names_;
  bool busy_ = false;
  io::SideThread thread_;
};

}  // namespace rollcall::res
