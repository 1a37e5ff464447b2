// ResTalk: the shepherd's connection to RES, and the socket that a restarted RES dials.
//
// RES may be killed and restarted; the newest connection counts, and first gets the present state: that the job is ready for its
// client, runs or is stopped, and what it has used. Unsent reports are not kept: RES reads the end of a job from its directory.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <functional>
#include <optional>

#include "common/io/frame_socket.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

class ResTalk {
 public:
  struct Ends {
    io::Descriptor listener;  // the Unix socket of the job's directory
    io::Descriptor res;       // the RES that has started us; none: it will dial
    uid_t res_user = 0;       // whose connections are accepted, beside root's
  };
  using Hear = std::function<void(const wire::ToShepherd&)>;
  ResTalk(Ends ends, wire::JobAttempt attempt, Hear hear);

  bool connected() const { return static_cast<bool>(socket_); }
  pollfd to_poll() const;
  pollfd listener_to_poll() const { return {listener_.get(), POLLIN, 0}; }
  void take();
  void accept();

  // Adds the attempt to the message and sends it.
  void tell(wire::FromRes::JobReady told);
  void tell(wire::FromRes::JobRunning told);
  void tell(wire::FromRes::JobOver told);
  void tell(const wire::JobUsage& used);
  void tell_stopped(std::int64_t at_us);
  void tell_resumed(std::int64_t at_us);
  void send(const wire::FromShepherd& message);
  // Waits a second at most until all is sent.
  void drain();

 private:
  void tell(const wire::FromRes& told);

  io::Descriptor listener_;
  io::FrameSocket socket_;
  uid_t res_user_;
  wire::JobAttempt attempt_;
  Hear hear_;
  std::optional<wire::FromRes> ready_, running_, stopped_, used_;
};

}  // namespace rollcall::res
