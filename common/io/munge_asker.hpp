// MungeAsker: who a client is by MUNGE, and what that user is called here, asked outside of a daemon's loop.
//
// Owns one thread, which it starts at the first question. libmunge waits ten seconds for a munged that hangs, and a name may
// take as long as a directory service likes: a daemon that waited itself could be stopped by anybody who may connect. It
// asks as munge_credential does and decides nothing; what the user may do is the caller's affair.
//
// Every question has one answer, in the loop, never before ask() returns: the user, or one line: MUNGE's own, "did not
// answer in time", or "too many wait". After the asker's end nothing is heard; a thread that still waits for a hung munged
// is left to itself, and touches nothing of ours any more. One loop, one thread calls it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/io/munge_credential.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

// Of the user database of this host, "" where it has no such user. Waits for it: for a daemon's start, not for its loop.
std::string user_name(uid_t uid);

struct KnownUser {
  uid_t uid = 0;
  gid_t gid = 0;     // the primary group, as munged saw it
  std::string name;  // "": this host has no such user
};

class MungeAsker {
 public:
  struct Question {
    std::string credential;
    std::string payload;  // what it must have been made over: LinkPeer::hash
    std::string socket;   // munged's; empty: the library's own
  };
  struct Limits {
    std::size_t waiting = 64;                     // questions that have no answer yet
    Duration patience = std::chrono::seconds(2);  // for one, its wait for the others included
  };
  using LookUp = std::function<Result<KnownUser>(const Question&)>;
  using Told = std::function<void(const Result<KnownUser>&)>;

  MungeAsker(boost::asio::io_context& loop, Limits limits);
  // With another way to find out, which runs in the thread: for tests.
  MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up);
  ~MungeAsker();

  void ask(Question question, Told told);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
