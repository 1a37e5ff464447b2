// MungeAsker: verifies a client's MUNGE credential and looks up its user's name here, outside a daemon's loop.
//
// libmunge waits ten seconds for a munged that hangs, and a name may take as long as a directory service likes: any client could
// stop a daemon that waited itself. It asks as munge_credential does; what the user may do is the caller's decision.
//
// Questions queue by asker (whose connection it is, as the kernel says), and askers take turns: a user whose thousand tasks start
// at once delays others by a few questions only. A few are with munged at a time, each with a time limit.
//
// Every question gets one answer, in the loop, never before ask() returns: the user, or an error. `busy` in an error means that
// munged was overloaded or did not answer: the daemon tells the client to retry. Any other error means that the credential is
// invalid.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/io/munge_credential.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::io {

// From this host's user database, "" for an unknown user. Blocks: for a daemon's start, not for its loop.
std::string user_name(uid_t uid);

struct KnownUser {
  uid_t uid = 0;
  gid_t gid = 0;     // the primary group, as munged saw it
  std::string name;  // "": this host has no such user
};

struct NotKnown {
  bool busy = false;  // overloaded, or munged did not answer: retry
  std::string text;   // one line
};
[[noreturn]] inline void throw_exception_from_error(const NotKnown& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}

class MungeAsker {
 public:
  struct Question {
    std::string credential;
    std::string payload;     // what the credential must cover: LinkPeer::hash
    std::string socket;      // munged's; empty: the library's own
    std::string asker = {};  // LinkPeer::holder
  };
  struct Limits {
    std::size_t waiting = 8192;                   // questions without an answer
    std::size_t each = 2048;                      // of them, of one asker
    Duration patience = std::chrono::seconds(2);  // of munged's answer
    Duration line = std::chrono::seconds(6);      // in the queue; clients wait for 10 s
  };
  using LookUp = std::function<Result<KnownUser>(const Question&)>;
  using Answer = boost::system::result<KnownUser, NotKnown>;
  using Told = std::function<void(const Answer&)>;

  MungeAsker(boost::asio::io_context& loop, Limits limits);
  // With another lookup, which runs in the thread: for tests.
  MungeAsker(boost::asio::io_context& loop, Limits limits, LookUp look_up);
  ~MungeAsker();

  void ask(Question question, Told told);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
