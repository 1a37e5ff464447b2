// TerminalCarrier: stands for the connection to the shepherd where the job of bsub -I is in another cluster: what one end of a socket
// says goes to mbatchd in pieces, and mbatchd's answers come back to it (docs/decisions/0094).
//
// It owns two threads, one for each direction, with a connection to mbatchd each: both directions wait without holding up the other,
// and bsub's own loop (common/io/stream_client.hpp) waits for neither. Where no more can be carried, a Lost says why.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/result.hpp"
#include "common/io/descriptor.hpp"
#include "common/wire/stream.pb.h"
#include "sched/client/session.hpp"

namespace rollcall::sched {

struct CarriedJob {
  wire::JobKey key;
  std::uint64_t attempt = 0;
};

class TerminalCarrier {
 public:
  // `files` must outlive it.
  TerminalCarrier(const conf::ClusterFiles& files, CarriedJob job);
  // Waits for both threads: the client's socket must be closed, or the stream at its end.
  ~TerminalCarrier();
  TerminalCarrier(const TerminalCarrier&) = delete;
  TerminalCarrier& operator=(const TerminalCarrier&) = delete;

  Result<void> begin();
  // The client's end, once; non-blocking, the caller's from then on.
  int take_socket();

 private:
  wire::BatchRequest question(int operation, std::int64_t number) const;
  void carry_output(client::Session session);
  void carry_input(client::Session session);
  bool tell(const wire::FromStream& message);  // false: nobody reads
  void lose(const std::string& why);
  // False: it was lost.
  bool taken(const wire::Piece& answer);

  const conf::ClusterFiles& files_;
  const CarriedJob job_;
  std::uint64_t number_ = 0;  // of the terminal
  io::Descriptor ours_, theirs_, stop_;
  std::mutex telling_;
  std::thread output_, input_;
};

}  // namespace rollcall::sched
