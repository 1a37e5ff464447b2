// MungeAsker: who a client is by MUNGE, and what that user is called here, asked outside of a daemon's loop.
//
// libmunge waits ten seconds for a munged that hangs, and a name may take as long as a directory service likes: a daemon
// that waited itself could be stopped by anybody who may connect. It asks as munge_credential does and decides nothing; what
// the user may do is the caller's affair. How questions wait, and what happens at its end, is SideThread's.
//
// Every question has one answer, in the loop, never before ask() returns: the user, or one line: MUNGE's own, "did not
// answer in time", or "too many wait".
#pragma once

#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/munge_credential.hpp"
#include "common/io/side_thread.hpp"

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
  using Limits = SideThread::Limits;
  using LookUp = std::function<Result<KnownUser>(const Question&)>;
  using Told = std::function<void(const Result<KnownUser>&)>;

  MungeAsker(boost::asio::io_context& loop, Limits limits);
  // With another way to find out, which runs in the thread: for tests.
  MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up);

  void ask(Question question, Told told);

 private:
  Limits limits_;
  LookUp look_up_;
  SideThread thread_;
};

}  // namespace rollcall::io
