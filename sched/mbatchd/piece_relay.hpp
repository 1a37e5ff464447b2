// PieceRelay: passes pieces of files between clusters: a client's question to the master of the other cluster, that master's question to
// the RES of a host, and the answers back. Nothing is kept but the question: what was read is passed on or dropped.
//
// It owns the questions under way and their queues, one for each cluster and direction. Questions for a terminal's output wait outside
// the queues, without a limit of time. Rules: sched/policy/peers/piece_rights.hpp (who may), piece_queue.hpp (when),
// terminal_clients.hpp (whose client is gone).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/io/links.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/engine.hpp"
#include "sched/mbatchd/job_terminals.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/peers/piece_queue.hpp"
#include "sched/policy/peers/piece_rights.hpp"
#include "sched/policy/peers/terminal_clients.hpp"

namespace rollcall::mbatchd {

class PieceRelay {
 public:
  struct Handler {
    std::function<bool(const std::string& cluster, wire::PeerMessage)> say;  // false: it does not serve
    // False: the host is not reached.
    std::function<bool(const std::string& host, const sched::Attempt&, std::uint64_t number,
                       const wire::PieceAsked&)>
        read;
    std::function<bool(const std::string& host, std::uint64_t number, const FileOnHost&)> file;
    std::function<bool(const std::string& host)> is_server;
    std::function<void(io::LinkId, const wire::BatchReply&)> reply;
    std::function<TimePoint()> now = [] {
      return TimePoint{std::chrono::steady_clock::now().time_since_epoch()};
    };
  };
  PieceRelay(boost::asio::io_context& loop, const sched::book::JobTable& jobs,
             const sched::book::ForwardedJobs& forwards, io::Links& links, Handler handler)
      : jobs_(jobs),
        forwards_(forwards),
        links_(links),
        handler_(std::move(handler)),
        timer_(loop),
        terminals_(loop, jobs, forwards, handler_.say) {}

  // Of a client.
  void ask(io::LinkId link, const sched::Identity& who, const wire::AskPiece& asked);
  // The client's connection has ended.
  void left(io::LinkId link);
  // Of another cluster: a question, or an answer.
  void heard(const std::string& cluster, const wire::PeerMessage& message);
  void lost(const std::string& cluster);
  // Of a host: the answer.
  void read(const std::string& host, std::uint64_t number, const wire::Piece& piece);
  void gone(const std::string& host);

 private:
  // Where a question came from and goes to. `asks` false: from another cluster, to a host.
  struct Place {
    std::string cluster;
    bool asks = true;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Question {
    Place place;
    wire::PieceAsked asked;
    io::LinkId link = 0;       // the client that asked
    wire::ForwardPiece piece;  // for the other cluster
    std::uint64_t number = 0;  // of the question there
    std::string host;          // here
    sched::Attempt attempt;
    std::optional<FileOnHost> file;                          // none: what the attempt has written
    std::optional<sched::peers::ClientOfTerminal> terminal;  // of a question for its output
  };
  std::variant<std::string, wire::Piece> take(const wire::ForwardPiece& piece, Question& question) const;
  void add(Question question, const std::string& asker);
  void await_output(io::LinkId link, sched::peers::PieceQuestion question);
  void end_terminals();
  void begin(std::uint64_t number, sched::peers::PieceQueue& queue);
  void answer(std::uint64_t number, wire::Piece piece);
  void refuse(const std::vector<std::uint64_t>& numbers, const std::string& why);
  void step();

  const sched::book::JobTable& jobs_;
  const sched::book::ForwardedJobs& forwards_;
  io::Links& links_;
  const Handler handler_;
  boost::asio::steady_timer timer_;
  std::map<std::uint64_t, Question> questions_;
  std::map<Place, sched::peers::PieceQueue> queues_;
  std::uint64_t last_number_ = 0;
  sched::peers::TerminalClients terminal_clients_;  // here
  JobTerminals terminals_;                          // of jobs here
};

}  // namespace rollcall::mbatchd
