// MungeAsker: who a client is by MUNGE, and what that user is called here, asked outside of a daemon's loop.
//
// libmunge waits ten seconds for a munged that hangs, and a name may take as long as a directory service likes: a daemon
// that waited itself could be stopped by anybody who may connect. It asks as munge_credential does and decides nothing; what
// the user may do is the caller's affair.
//
// Questions wait in a line for each asker (whose connection it is, as the kernel says), and askers take turns: a user whose
// thousand tasks start at once delays others by some questions only. A few are with munged at a time; those have its patience.
//
// Every question gets one answer, in the loop, never before ask() returns: the user, or an error. An error says with `busy` that munged
// was overloaded or did not answer: the daemon tells the client to retry. Any other error means that the credential is invalid.
#pragma once

#include <functional>
#include <memory>
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

struct NotKnown {
  bool busy = false;  // by overload, or munged did not answer: the same question may have an answer later
  std::string text;   // one line
};
[[noreturn]] inline void throw_exception_from_error(const NotKnown& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}

class MungeAsker {
 public:
  struct Question {
    std::string credential;
    std::string payload;     // what it must have been made over: LinkPeer::hash
    std::string socket;      // munged's; empty: the library's own
    std::string asker = {};  // LinkPeer::holder
  };
  struct Limits {
    std::size_t waiting = 8192;                   // questions that have no answer yet
    std::size_t each = 2048;                      // of them, of one asker
    Duration patience = std::chrono::seconds(2);  // for munged, once it is asked
    Duration line = std::chrono::seconds(6);      // until it is asked: clients wait for 10 s
  };
  using LookUp = std::function<Result<KnownUser>(const Question&)>;
  using Answer = boost::system::result<KnownUser, NotKnown>;
  using Told = std::function<void(const Answer&)>;

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
