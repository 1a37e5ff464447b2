// JobTerminal: the terminal or the pipes of one interactive job that runs here for another cluster, as decisions: which pieces of its
// client are taken, and which piece of the job's output answers which question. A stepper; it knows no connection and no clock.
//
// Its client asks two kinds of questions in turn, each numbered from 0: TERMINAL_IN carries what is for the job, TERMINAL_OUT is
// answered once there is something for the client. A question that comes twice, since its answer was lost, has the same effect once. No
// right is decided here (piece_rights.hpp), and nothing of the job's bytes is looked at.
//
//   state \ event | in                     | out                          | opened       | told               | lost
//   --------------+------------------------+------------------------------+--------------+--------------------+-----------------------
//   dialling      | kept: answered         | waits                        | open: Pass   | -                  | Dial again, or over
//   open          | Pass, answered         | answered, or waits           | -            | kept, or answers   | before it was told
//                 |                        |                              |              |                    | anything: as dialling;
//                 |                        |                              |              |                    | else over
//   over          | answered, dropped      | what is left, then the end   | -            | -                  | -
//   any           | out of turn, too much  | out of turn: refused; one    |              | an end: over       |
//                 | for the job: refused   | that waited: refused         |              |                    |
// A shepherd closes a connection that proves itself slowly. Until it has spoken, another one may be made, and all is said again.
// docs/decisions/0094.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/wire/piece.pb.h"

namespace rollcall::sched::peers {

// Bytes of the job that wait for its client; beyond it the job is not read.
inline constexpr std::size_t kMostTold = 64 << 10;
inline constexpr int kMostDials = 8;  // of a host that closes before it speaks
// Bytes of the client that wait for the job's host.
inline constexpr std::size_t kMostUnpassed = 256 << 10;

// Bytes of one answer where so many terminals of a cluster are open: all of them together fill the connection only so far.
std::size_t share_of_terminal(std::size_t terminals);

namespace terminal {
struct Pass {  // to the job's host
  wire::ToStream message;
};
struct Answer {
  std::uint64_t question;  // as it came
  wire::Piece piece;
};
struct Dial {};  // the job's host anew
using Effect = std::variant<Pass, Answer, Dial>;
using Effects = std::vector<Effect>;
}  // namespace terminal

class JobTerminal {
 public:
  // `number`: as the client has drawn it.
  explicit JobTerminal(std::uint64_t number) : number_(number) {}

  std::uint64_t number() const { return number_; }

  // `unpassed`: bytes that the connection to the job's host has not taken yet.
  terminal::Effects in(std::uint64_t question, const wire::PieceAsked& asked, std::size_t unpassed);
  // `most`: bytes of the answer.
  terminal::Effects out(std::uint64_t question, const wire::PieceAsked& asked, std::size_t most);
  terminal::Effects opened();
  terminal::Effects told(const wire::FromStream& message, std::size_t most);
  terminal::Effects lost(const std::string& why, std::size_t most);
  // The questions that wait are refused.
  terminal::Effects closed(const std::string& why);

  // There is room for more of the job's output.
  bool may_read() const { return told_bytes_ < kMostTold; }
  // The end has been answered: nothing more comes.
  bool finished() const { return finished_; }

 private:
  enum class State { dialling, open, over };
  void answer_waiting(std::size_t most, terminal::Effects& effects);
  wire::Piece next_piece(std::size_t most);
  void keep(wire::FromStream message);

  std::uint64_t number_;
  State state_ = State::dialling;
  std::int64_t ins_ = 0, outs_ = 0;   // questions taken; questions answered
  std::vector<wire::ToStream> kept_;  // until the job's host has spoken
  std::size_t kept_bytes_ = 0;
  std::deque<wire::FromStream> told_;
  std::size_t told_bytes_ = 0;
  std::optional<std::uint64_t> waits_;  // the question of TERMINAL_OUT
  wire::Piece last_;                    // the last answer, for a question that comes again
  bool heard_ = false;                  // the job's host has spoken
  int dials_ = 1;
  bool finished_ = false;
};

// An end of the stream: nothing comes behind it.
bool ends_stream(const wire::FromStream& message);

}  // namespace rollcall::sched::peers
