// The state that RES keeps of one job of this host: for the files of Jobs only (jobs.cpp, job_*.cpp).
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/io/child.hpp"
#include "res/daemon/jobs.hpp"

namespace rollcall::res {

using FromRes = wire::FromRes;

constexpr std::size_t kMostUnsent = 1000;
constexpr std::chrono::milliseconds kFirstLook{2}, kLastLook{200};  // at the end of a guard

struct Jobs::Job {
  Job(boost::asio::io_context& loop) : timer(loop), unread_timer(loop) {}
  ~Job() { drop_socket(); }
  void drop_socket() {
    if (watch) watch->release();  // the frame socket closes it
    watch.reset();
    socket.close();
  }

  std::string name;
  wire::JobOrder order;
  wire::JobAttempt attempt;
  io::Descriptor directory;
  io::Child guard;
  bool alive = false;     // a guard has been started or adopted, and its end was not seen
  bool prepared = false;  // its order is on disk, and mbatchd has given no go-ahead
  bool released = false;
  bool tells_gone = false;                 // mbatchd waits to be told that nothing of it is left
  bool clearing = false, cleared = false;  // the leftovers of a guard and shepherd that were killed together
  std::optional<uid_t> share;              // of no job: whose share it is
  io::FrameSocket socket;
  std::optional<boost::asio::posix::stream_descriptor> watch;
  bool writing = false;
  std::vector<std::string> unsent;  // for a shepherd that lives, or is to begin, and is not connected yet
  boost::asio::steady_timer timer;
  std::chrono::milliseconds pause = kFirstLook;
  boost::asio::steady_timer unread_timer;
  int unread_looks = 0;  // at an order to kill that was not read; 0: there is none

  std::optional<FromRes> ready, running, stopped, used;
  std::optional<FromRes::JobOver> over;
  std::optional<FromRes::PostOver> post;
  bool over_acknowledged = false, over_told = false, unknown_there = false;
  std::map<std::uint64_t, std::pair<std::string, TaskDone>> tasks;  // asked, by number: key and answer
  std::map<std::uint64_t, PeekDone> peeks;

  bool first_host() const { return order.has_start(); }
};

bool is_kill(const wire::ToRes::SignalJob& signal);

// An end that no guard has written.
FromRes::JobOver own_end(const wire::JobAttempt& attempt, FromRes::JobOver::How how, std::string why);

constexpr const char* kWhyNeverSeen = "this host knows nothing of the job";

// Saves the end of a job that has not begun. On a full disk it removes the order instead: mbatchd gets the end and may start the
// job on another host, and a RES that found the order would start it here too.
void never_begins(int directory, const FromRes::JobOver& over);

}  // namespace rollcall::res
