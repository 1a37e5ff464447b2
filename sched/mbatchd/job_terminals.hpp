// JobTerminals: the terminals of interactive jobs that run here for other clusters: connects each to the shepherd of its job, and
// answers the other cluster's questions for it. No key leaves this cluster.
//
// It owns the connections to the shepherds. Rules: sched/policy/peers/job_terminal.hpp (what is passed on and answered),
// piece_rights.hpp (who may). The end of the link to the other cluster ends its terminals here, and the jobs go on: a shepherd whose
// connection ends without a word keeps such a job (res/shepherd/stream.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/io/side_thread.hpp"
#include "common/io/stream_call.hpp"
#include "common/wire/peer.pb.h"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/peers/job_terminal.hpp"

namespace rollcall::mbatchd {

class JobTerminals {
 public:
  using Say = std::function<bool(const std::string& cluster, wire::PeerMessage)>;
  JobTerminals(boost::asio::io_context& loop, const sched::book::JobTable& jobs,
               const sched::book::ForwardedJobs& forwards, Say say)
      : loop_(loop),
        jobs_(jobs),
        forwards_(forwards),
        say_(std::move(say)),
        names_(loop, io::SideThread::Limits{1024, std::chrono::seconds(15)}) {}

  // A question for a terminal, of another cluster.
  void asked(const std::string& cluster, const wire::ForwardPiece& piece);
  void lost(const std::string& cluster);

 private:
  struct Place {
    std::string cluster;
    sched::Attempt attempt;  // as that cluster has it
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Terminal {
    std::string user;
    wire::StreamPlace host;
    sched::peers::JobTerminal policy;
    std::unique_ptr<io::StreamCall> call;
  };
  // Opens it where it is none; nullptr: it was answered.
  Terminal* terminal(const Place& place, const wire::ForwardPiece& piece);
  void dial(const Place& place, Terminal& terminal);
  void end(const Place& place);
  void carry_out(const Place& place, sched::peers::terminal::Effects effects);
  void settle(const Place& place);
  void answer(const std::string& cluster, std::uint64_t number, wire::Piece piece);
  Result<void> told(const Place& place, std::string_view payload);
  std::size_t of(const std::string& cluster) const;
  std::size_t share(const std::string& cluster) const;

  boost::asio::io_context& loop_;
  const sched::book::JobTable& jobs_;
  const sched::book::ForwardedJobs& forwards_;
  const Say say_;
  io::SideThread names_;
  std::map<Place, Terminal> terminals_;
};

}  // namespace rollcall::mbatchd
