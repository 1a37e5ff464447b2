// PamLink: the open, authenticated connection to pam, or to the relay of this host, which has one: messages in, messages out. To the
// relay they are frames as they are: it is a process of our own user on our own host.
//
// It decides nothing, and never waits. Whatever breaks it is the same to its user: the link is lost.
#pragma once

#include <functional>

#include "common/wire/frame.hpp"
#include "common/wire/task.pb.h"
#include "taskstarter/dialer.hpp"

namespace rollcall::taskstarter {

class PamLink {
 public:
  explicit PamLink(Reached reached);

  int fd() const { return socket_.get(); }
  const PamAddress& address() const { return address_; }
  bool wants_to_write() const { return !out_.empty(); }

  // Sends, or keeps what the kernel does not take yet. False: the link is lost.
  bool send(const wire::FromStarter& message);
  // The same for the last message. Where close() follows at once (`closes`) it travels with the end of our direction, one packet and
  // one wake-up of pam less. To a relay our direction is ended with it.
  bool send_last(const wire::FromStarter& message, bool closes);
  bool flush();

  // Hands every message that has come to `sink`. False: the link is lost.
  bool receive(const std::function<void(const wire::FromPam&)>& sink);

  // The kernel has taken the last message; of a relay: it has said that all of our words are in its connection to pam, which has
  // answered, and the link is lost then.
  bool delivered() const { return delivered_; }

  // Waits at most a second for what is still to be sent, then ends our direction. Through a relay it waits as long again for the
  // relay, which closes when our words are in its own connection to pam.
  void close();

 private:
  bool flush(int how);
  void put(const wire::FromStarter& message);
  void wait_for_relay();

  io::Descriptor socket_;
  std::optional<io::SecureChannel> channel_;
  wire::FrameDecoder frames_;  // of a relay
  bool ending_ = false;        // the last message is in out_
  bool delivered_ = false;
  std::string out_;
  PamAddress address_;
};

}  // namespace rollcall::taskstarter
