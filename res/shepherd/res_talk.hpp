// ResTalk: the shepherd's end of its talk with RES: the connection that is up, and the socket where the next RES dials.
//
// RES may be killed and come again; the newest connection is that of the living one, and hears first what still holds of
// what was told before: that the job is ready for its client, runs, is stopped, and what it used. What nobody hears is not kept: RES reads
// how a job ended from its directory.
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
    uid_t res_user = 0;       // whose connections are taken, root's beside them
  };
  using Hear = std::function<void(const wire::ToShepherd&)>;
  ResTalk(Ends ends, wire::JobAttempt attempt, Hear hear);

  bool connected() const { return static_cast<bool>(socket_); }
  pollfd to_poll() const;
  pollfd listener_to_poll() const { return {listener_.get(), POLLIN, 0}; }
  void take();
  void accept();

  // The attempt is put in.
  void tell(wire::FromRes::JobReady told);
  void tell(wire::FromRes::JobRunning told);
  void tell(wire::FromRes::JobOver told);
  void tell(const wire::JobUsage& used);
  void tell_stopped(std::int64_t at_us);
  void tell_resumed(std::int64_t at_us);
  void send(const wire::FromShepherd& message);
  // Waits a second at most for what has not left.
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
