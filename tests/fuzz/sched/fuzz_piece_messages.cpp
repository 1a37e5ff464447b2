// What users and masters of other clusters may say of the files and the terminal of a job: whatever the bytes, a question of nobody's job is
// refused, no path comes from a question, what is believed of an answer is within bounds, and a terminal keeps little of either end.
//
//   input = records (records.hpp)     kind % 6: 0: an AskPiece of the job's user; 1: the same of another one; 2: a ForwardPiece; 3: a
//                                     Piece, in answer; 4: a FromStream of the job's shepherd; 5: the connection to it is open, or lost
//                                     (bytes: any)
#include <memory>
#include <set>
#include <string>

#include "sched/policy/peers/job_terminal.hpp"
#include "sched/policy/peers/piece_rights.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/records.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using rollcall::fuzz::require;

namespace {

const Identity kAnn{1001, 100, "ann", {}, false};
const Identity kBob{1002, 100, "bob", {}, true};

Job job_of_ann() {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_user("ann");
  asked->set_uid(kAnn.uid);
  asked->set_cwd("/home/ann");
  asked->set_output_file("out");
  asked->set_input_file("in");
  asked->set_from_host("w1");
  asked->set_interactive(wire::Submission::TERMINAL);
  asked->add_transfers()->set_local("sent");
  Job job;
  job.asked = std::move(asked);
  set_key(*job.record.mutable_key(), {7, 0});
  job.record.set_status(wire::STATUS_RUN);
  job.record.set_attempt(2);
  job.record.set_started(true);
  return job;
}

// West submitted job 7, which runs in east; and east's job 5 runs here.
struct Cluster {
  Cluster() {
    ours.record.mutable_forwarded()->set_cluster("east");
    auto& from = *theirs.record.mutable_from();
    from.set_cluster("east");
    set_key(*from.mutable_key(), {5, 0});
    from.set_attempt(1);
    theirs.record.add_hosts()->set_name("w1");
    place.set_host("w1");
    place.set_port(4000);
  }
  Job ours = job_of_ann(), theirs = job_of_ann();
  wire::StreamPlace place;
};

void one_line(const wire::Piece& piece) {
  require(piece.why_not().size() < 512);
  for (const char c : piece.why_not()) require(c >= ' ' && c <= '~');
}

void ask(const Cluster& cluster, const wire::AskPiece& asked, const Identity& who) {
  const auto may = peers::piece_question(&cluster.ours, asked, who);
  if (const auto* const no = std::get_if<wire::Piece>(&may)) return one_line(*no);
  const auto& question = std::get<peers::PieceQuestion>(may);
  require(question.cluster == "east" && question.piece.user() == "ann");
  require(question.piece.attempt().key().id() == 7 && question.piece.attempt().attempt() == 2);
  if (!peers::of_terminal(asked.asked())) return;
  require(who.uid == kAnn.uid);
  for (const auto& message : question.piece.asked().said()) require(!message.has_gone());
  require(question.piece.asked().operation() != wire::PieceAsked::TERMINAL_END);
}

void of_peer(const Cluster& cluster, const wire::ForwardPiece& piece) {
  if (const auto may = peers::piece_order(&cluster.theirs, "east", piece);
      const auto* const order = std::get_if<peers::PieceOrder>(&may)) {
    require(piece.user() == "ann" && piece.attempt().key().id() == 5 && order->attempt == Attempt{{7, 0}, 2});
    require(!peers::of_terminal(piece.asked()));
  }
  if (const auto may = peers::file_order(&cluster.ours, "east", piece);
      const auto* const order = std::get_if<peers::FileOrder>(&may)) {
    require(order->uid == kAnn.uid && order->host == "w1");
    require(order->path == "/home/ann/out" || order->path == "/home/ann/in" ||
            order->path == "/home/ann/sent");
  }
  if (const auto may = peers::terminal_order(&cluster.theirs, &cluster.place, "east", piece);
      std::holds_alternative<peers::TerminalOrder>(may))
    require(piece.user() == "ann" && piece.attempt().attempt() == 1 && piece.asked().terminal() != 0);
  require(!std::holds_alternative<peers::TerminalOrder>(
      peers::terminal_order(&cluster.theirs, &cluster.place, "north", piece)));
}

void believe(const wire::Piece& told) {
  const wire::Piece piece = peers::believed(told);
  one_line(piece);
  std::size_t bytes = piece.data().size();
  for (const auto& message : piece.told()) bytes += message.output().size() + message.errors().size();
  require(bytes <= peers::kMostPiece && piece.told_size() <= peers::kMostMessages);
  for (const auto& message : piece.told()) {
    require(message.message_case() != wire::FromStream::MESSAGE_NOT_SET && !message.over().has_usage());
    for (const char c : message.lost().why()) require(c >= ' ' && c <= '~');
  }
}

// The terminal of east's job.
class Terminal {
 public:
  void hear(const wire::PieceAsked& asked) {
    if (asked.operation() == wire::PieceAsked::TERMINAL_IN) take(terminal_.in(++number_, asked, 0));
    if (asked.operation() == wire::PieceAsked::TERMINAL_OUT) take(terminal_.out(++number_, asked, kShare));
    if (asked.operation() == wire::PieceAsked::TERMINAL_END) take(terminal_.closed("its client is gone"));
  }
  void tell(const wire::FromStream& message) {
    if (terminal_.may_read()) take(terminal_.told(message, kShare));
  }
  void link(bool open) {
    take(open ? terminal_.opened() : terminal_.lost("the connection was closed", kShare));
  }

 private:
  static constexpr std::size_t kShare = 64;

  // Each question is answered once, with no more output than its share.
  void take(const peers::terminal::Effects& effects) {
    for (const auto& effect : effects) {
      const auto* const answer = std::get_if<peers::terminal::Answer>(&effect);
      if (!answer) continue;
      require(answer->question <= number_ && answered_.insert(answer->question).second);
      std::size_t bytes = 0;
      for (const auto& message : answer->piece.told())
        bytes += message.output().size() + message.errors().size();
      require(bytes <= kShare);
    }
  }
  peers::JobTerminal terminal_{9};
  std::uint64_t number_ = 0;
  std::set<std::uint64_t> answered_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Cluster cluster;
  Terminal terminal;
  fuzz::each_record(data, size, [&](unsigned kind, std::string_view bytes) {
    wire::AskPiece asked;
    wire::ForwardPiece piece;
    wire::Piece told;
    wire::FromStream message;
    switch (kind % 6) {
      case 0:
      case 1:
        if (fuzz::parse(asked, bytes)) ask(cluster, asked, kind % 6 == 0 ? kAnn : kBob);
        return;
      case 2:
        if (!fuzz::parse(piece, bytes)) return;
        of_peer(cluster, piece);
        return terminal.hear(piece.asked());
      case 3:
        if (fuzz::parse(told, bytes)) believe(told);
        return;
      case 4:
        if (fuzz::parse(message, bytes)) terminal.tell(message);
        return;
      default:
        return terminal.link(!bytes.empty());
    }
  });
  return 0;
}
