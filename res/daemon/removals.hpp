// Removals: removes the directories of finished jobs while no jobs start.
//
// Not at once, for two reasons. Users may have left much there, so a thread does it. And starting jobs make files: a file system
// may have to skip each file that was just removed (ext4 without a journal does so for five seconds, a third of all CPU time of a
// job of `true`). It owns the list of names, the thread and the processes. What is left when RES ends, the next RES removes.
//
// A user may have moved files of others there. So a process that has become that user empties the user's part (the shepherd
// program, res/shepherd/remover.hpp), and RES removes what is empty then. docs/decisions/0046.
//
//   add     -> waits                         job_starts -> another interval passes before anything is removed
//   an interval without a start, or `most` names wait -> the thread removes RES's own; those of users wait for a process
//   a process is free, and its user has none -> it empties up to `most` of that user's
//   it ends   -> the thread removes what is empty; the rest is left, gets a name of kLeftPrefix, and is told
//   it is not done after `slice` -> it is ended, and what is not empty waits for another turn; the last of `turns` leaves it
#pragma once

#include <signal.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/io/root_trust.hpp"
#include "common/io/side_thread.hpp"
#include "res/daemon/removal_steps.hpp"

namespace rollcall::res {

class Removals {
 public:
  struct Pace {
    std::chrono::milliseconds quiet{1000};
    std::size_t most = 2000;
    std::chrono::milliseconds slice{60'000};
    int turns = 10;
  };
  using Tell = std::function<void(const std::vector<LeftDirectory>& left)>;
  // `folder`: the directory that they are in. `mask`: the signal mask of processes.
  Removals(boost::asio::io_context& loop, io::Descriptor folder, Pace pace, const sigset_t& mask, Tell tell);
  ~Removals();

  // The shepherd's program.
  void set_program(std::string path, io::RootTrust trust) {
    program_ = std::move(path);
    trust_ = std::move(trust);
  }
  // Gets a line if a process of a user cannot be started: once, until one starts again.
  void on_failure(std::function<void(const std::string& line)> say) { say_ = std::move(say); }
  void add(std::string name);
  void job_starts() { busy_ = true; }

 private:
  struct Batch {
    RemovalUser user;
    std::vector<std::string> names;
    int turns = 0;
  };
  struct Helper;

  void wait();
  void remove_all();
  void in_thread(std::function<void()> work, std::function<void()> done);
  void begin();
  bool start(Batch& batch);
  bool cannot_start(const Batch& batch, const std::string& why);
  void read_on(const std::shared_ptr<Helper>& helper);
  void ended(const std::shared_ptr<Helper>& helper);
  void finish(Batch batch, const std::string& said);
  bool has_helper(uid_t user) const;

  boost::asio::io_context& loop_;
  std::shared_ptr<const io::Descriptor> folder_;
  Pace pace_;
  sigset_t mask_;
  Tell tell_;
  std::function<void(const std::string& line)> say_;
  bool said_ = false;
  std::string program_;
  io::RootTrust trust_;
  boost::asio::steady_timer timer_;
  std::vector<std::string> names_;
  bool busy_ = false;
  std::deque<Batch> of_users_;
  std::list<std::shared_ptr<Helper>> helpers_;
  io::SideThread thread_;
};

}  // namespace rollcall::res
