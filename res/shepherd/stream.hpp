// Stream: one client's terminal or pipes, joined to one process here (common/wire/stream.proto): the shepherd's end.
//
// It owns a listening port while the client is expected, the connection, and the shepherd's ends of the process's pipes or
// terminal. A key opens it once. Its owner starts the process.
//
// state x event         ->                        |
//   expected  a peer proves the key -> open         | patience over -> done (never came)
//   open      Begin           -> wanted(): the owner starts the process with ends(), and says started() or not_started()
//             patience over   -> done (it never said what it wants)
//   both      nothing_starts() -> done; who is there already has two seconds to hear that it comes too late
//   running   input, signal, window, credit         | the connection ends -> lost(): the owner ends the process
//             a stream that outlives its link, without Gone: the process goes on, and its output is read and dropped
//   ended()   what the process has written leaves as the client takes it, then Over -> closing
//   closing   the client has read all, or two seconds -> done
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/connection_shares.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/stream.pb.h"
#include "res/policy/stream_requests.hpp"

namespace rollcall::res {

// What the process is given as 0, 1 and 2; with a terminal all are that.
struct StreamEnds {
  io::Descriptor input, output, errors;
};

class Stream {
 public:
  Stream();
  // Listens on a port of its own.
  static Result<std::unique_ptr<Stream>> expect(const std::string& key, bool terminal,
                                                TimePoint patience_over);

  // The client is in another cluster, and a master stands for it: a cut on the way ends the terminal, not the process. Its input stays
  // open, since an end would look like the end of what the client had to say.
  void outlive_link() { outlives_ = true; }

  std::uint16_t port() const { return port_; }
  bool terminal() const { return terminal_; }

  void add_to(std::vector<pollfd>& fds);
  void turn(const std::vector<pollfd>& fds, TimePoint now);
  std::optional<TimePoint> next_deadline() const;

  // What the owner must do; each gives true once.
  bool wanted();  // start the process
  bool lost();    // its client is gone while it runs
  std::optional<int> take_signal();

  bool came() const { return asked_.begun(); }
  bool done() const { return phase_ == Phase::done; }
  const wire::ToStream::Begin& begin() const { return asked_.begin(); }
  Result<StreamEnds> ends();

  void started(pid_t pid);
  void not_started(const std::string& why, int exit_code);
  void ended(int wait_status, const wire::JobUsage& usage, int term_reason, TimePoint now);
  // A client that has not begun yet is refused as too late.
  void nothing_starts(TimePoint now);

 private:
  enum class Phase { expected, open, running, ended, closing, done };
  static constexpr std::size_t kNotPolled = SIZE_MAX;
  struct Peer {
    Peer(io::Descriptor s, io::SecureChannel c, TimePoint u, std::uint64_t i)
        : socket(std::move(s)), channel(std::move(c)), until(u), id(i) {}
    io::Descriptor socket;
    io::SecureChannel channel;
    std::string unsent;
    TimePoint until;  // to prove itself
    std::uint64_t id;
    std::size_t slot = kNotPolled;
  };
  // Indices of our descriptors in the present poll.
  struct Slots {
    std::size_t listener = kNotPolled, from_process = kNotPolled, from_errors = kNotPolled;
  };

  bool awaits_begin() const { return phase_ == Phase::expected || (phase_ == Phase::open && !came()); }
  bool listens() const { return static_cast<bool>(listener_); }
  void accept(TimePoint now);
  bool read_peer(Peer& peer, TimePoint now);
  bool write_peer(Peer& peer);
  void take(const wire::ToStream& message);
  void tell(const wire::FromStream& message);
  void read_process(io::Descriptor& from, bool errors);
  void write_process();
  void finish_if_drained(TimePoint now);
  void break_off();
  void give_up();
  void watch();
  bool may_read() const;
  bool takes_output() const { return detached_ || asked_.credit() > 0; }
  bool linked() const { return link_ != nullptr; }

  Phase phase_ = Phase::expected;
  io::Key key_{};
  bool terminal_ = false, lost_ = false, watched_ = false;
  bool outlives_ = false, detached_ = false;  // detached: it has outlived its link
  std::uint16_t port_ = 0;
  TimePoint until_;
  io::Descriptor listener_;
  std::optional<TimePoint> accept_again_;  // no descriptor was left
  Slots slots_;
  std::vector<std::unique_ptr<Peer>> peers_;  // not proved yet
  ConnectionShares strangers_;                // the same
  std::uint64_t next_peer_ = 1;
  std::unique_ptr<Peer> link_;
  StreamRequests asked_;

  io::Descriptor to_process_, from_process_, from_errors_;
  std::optional<wire::FromStream> over_;
};

}  // namespace rollcall::res
