// piece_rights: who may read pieces of the files of a job that is in another cluster. Pure.
//
// A question is made by the cluster where its asker is known, and answered by the one that has the file. Each of them looks at its own
// record of the job: the asking one whether the user may, the answering one whether the question is of the cluster, the job, the
// attempt and the user that it has, and of an operation that it knows. Nothing that a question says is believed without that.
//
//   asked \ the job      | not known, another user's | pends        | runs             | over
//   ---------------------+---------------------------+--------------+------------------+------------
//   asked by a user      | refused                   | later        | question         | over
//   asked by a cluster   | refused                   | later        | read on its host | over
//
// The files of -i, -o, -e and -f go the other way: the job's processes ask the executing cluster, which asks the one where the job was
// submitted. That one's submission says which files these are and whether they are read or written. A job that is over has none.
//
// The terminal of an interactive job (TERMINAL_*) is the owner's alone. Its questions may come when the job is over, since its last output
// and its exit status are still to be fetched then.
// docs/decisions/0094.
#pragma once

#include <string>
#include <variant>

#include "common/wire/batch.pb.h"
#include "common/wire/peer.pb.h"
#include "sched/policy/values/engine.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::peers {

inline constexpr std::size_t kMostPiece = 64 << 10;  // bytes
inline constexpr int kMostMessages = 256;            // of a terminal, in one piece

// A question to another cluster; `piece` has no number yet.
struct PieceQuestion {
  std::string cluster;
  wire::ForwardPiece piece;
};
// `job`: nullptr where there is none. A Piece is the answer: nothing is asked.
std::variant<PieceQuestion, wire::Piece> piece_question(const Job* job, const wire::AskPiece& asked,
                                                        const Identity& who);

// What is read here for another cluster.
struct PieceOrder {
  std::string host;
  Attempt attempt;  // of ours
};
// `job`: ours for the attempt that the question names; nullptr where there is none.
std::variant<PieceOrder, wire::Piece> piece_order(const Job* job, const std::string& cluster,
                                                  const wire::ForwardPiece& asked);

// A file of the submission, read or written on the submission host as the job's user.
struct FileOrder {
  std::string host;
  std::string user;
  std::uint32_t uid = 0;
  std::string path;
  std::string name;  // of the file, where `path` is a directory
  bool append = false;
  std::string transfer;    // of the attempt and the file
  std::uint32_t mode = 0;  // of a file that a write makes
};
// `job`: ours with the key that the question names; nullptr where there is none.
std::variant<FileOrder, wire::Piece> file_order(const Job* job, const std::string& cluster,
                                                const wire::ForwardPiece& asked);

// The interactive job whose terminal a client elsewhere may have.
struct TerminalOrder {
  Attempt attempt;  // of ours
  wire::StreamPlace place;
};
// Of the first question for a terminal. `job`: as for piece_order; `place`: where its host awaits the client, nullptr: it does not.
std::variant<TerminalOrder, wire::Piece> terminal_order(const Job* job, const wire::StreamPlace* place,
                                                        const std::string& cluster,
                                                        const wire::ForwardPiece& asked);

// MARK, READ, WRITE.
bool of_submission(const wire::PieceAsked& asked);
// TERMINAL_IN, TERMINAL_OUT, TERMINAL_END.
bool of_terminal(const wire::PieceAsked& asked);

// An answer as another cluster tells it.
wire::Piece believed(const wire::Piece& told);

// `later`: the same question may be answered another time.
wire::Piece no_piece(std::string why, bool later);

}  // namespace rollcall::sched::peers
