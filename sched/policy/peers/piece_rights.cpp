#include "sched/policy/peers/piece_rights.hpp"

#include <optional>
#include <utility>

#include "common/base/job_numbers.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/peer_identity.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::peers {
namespace {

wire::Piece at_its_end() {
  wire::Piece piece;
  piece.set_over(true);
  return piece;
}

std::size_t bytes_of(const wire::PieceAsked& asked) {
  std::size_t bytes = asked.data().size();
  for (const auto& message : asked.said()) bytes += message.ByteSizeLong();
  return bytes;
}

bool known(const wire::PieceAsked& asked) {
  return asked.from() >= 0 && wire::PieceAsked::Operation_IsValid(asked.operation()) &&
         asked.said_size() <= kMostMessages && bytes_of(asked) <= kMostPiece;
}

// What a client may say to a job. That it is gone is said by TERMINAL_END alone.
bool of_client(const wire::ToStream& message) {
  return message.message_case() != wire::ToStream::MESSAGE_NOT_SET && !message.has_gone();
}

wire::PieceAsked of_client(const wire::PieceAsked& asked) {
  wire::PieceAsked may;
  may.set_operation(asked.operation());
  may.set_from(asked.from());
  may.set_terminal(asked.terminal());
  if (asked.operation() == wire::PieceAsked::TERMINAL_IN)
    for (const auto& message : asked.said())
      if (of_client(message)) *may.add_said() = message;
  return may;
}

// Of a job's terminal, as another cluster tells it; none: it is of an unknown kind.
std::optional<wire::FromStream> believed_of_terminal(const wire::FromStream& told) {
  using Case = wire::FromStream::MessageCase;
  wire::FromStream message;
  switch (told.message_case()) {
    case Case::kOutput:
    case Case::kErrors:
    case Case::kStarted:
    case Case::kCredit:
    case Case::kStopped:
      return told;
    case Case::kOver:
      message.mutable_over()->set_wait_status(told.over().wait_status() & 0xffff);
      return message;
    case Case::kNotStarted:
      message.mutable_not_started()->set_why(plain_words(told.not_started().why()));
      message.mutable_not_started()->set_exit_code(told.not_started().exit_code());
      return message;
    case Case::kLost:
      message.mutable_lost()->set_why(plain_words(told.lost().why()));
      return message;
    default:
      return std::nullopt;
  }
}

std::string below(const std::string& directory, const std::string& path) {
  if (path.empty()) return directory;
  if (path.starts_with('/') || directory.empty()) return path;
  return directory + (directory.ends_with('/') ? "" : "/") + path;
}

struct NamedFile {
  std::string path, suffix;  // suffix: of the name in a directory
  bool readable = false, writable = false, append = false;
};

// bsub(1): -i, -o and -e are below -cwd and -outdir, -f is below the directory where bsub was called.
std::optional<NamedFile> named_file(const wire::Submission& asked, JobKey key,
                                    const wire::PieceAsked& piece) {
  const auto numbered = [key](const std::string& path) { return with_job_numbers(path, key.id, key.index); };
  const std::string directory = below(asked.cwd(), numbered(asked.asked_cwd()));
  const std::string outputs = below(directory, numbered(asked.output_dir()));
  NamedFile file;
  switch (piece.file()) {
    case wire::PieceAsked::INPUT:
      if (asked.input_file().empty() || asked.has_spooled_input()) return std::nullopt;
      file.path = below(directory, numbered(asked.input_file()));
      file.readable = true;
      return file;
    case wire::PieceAsked::STDOUT:
      if (asked.output_file().empty()) return std::nullopt;
      return NamedFile{below(outputs, numbered(asked.output_file())), ".out", false, true,
                       !asked.output_overwrite()};
    case wire::PieceAsked::STDERR:
      if (asked.error_file().empty()) return std::nullopt;
      return NamedFile{below(outputs, numbered(asked.error_file())), ".err", false, true,
                       !asked.error_overwrite()};
    case wire::PieceAsked::TRANSFER: {
      if (piece.transfer() >= static_cast<std::uint32_t>(asked.transfers_size())) return std::nullopt;
      using Asked = wire::FileTransfer;
      const Asked& transfer = asked.transfers(static_cast<int>(piece.transfer()));
      file.path = below(asked.cwd(), numbered(transfer.local()));
      file.readable = transfer.direction() == Asked::TO_HOST || transfer.direction() == Asked::BOTH;
      file.writable = transfer.direction() != Asked::TO_HOST;
      file.append = transfer.direction() == Asked::APPEND_BACK;
      return file;
    }
    default:
      return std::nullopt;
  }
}

// The umask of the submission holds, as at home. What the job has printed is no program, whatever the other cluster says.
std::uint32_t mode_of(const wire::Submission& asked, const wire::PieceAsked& piece) {
  constexpr std::uint32_t kOfOutput = 0666, kOfCopy = 0777;
  return (piece.file() == wire::PieceAsked::TRANSFER ? piece.mode() & kOfCopy : kOfOutput) & ~asked.umask();
}

bool allowed(const NamedFile& file, wire::PieceAsked::Operation operation) {
  return operation == wire::PieceAsked::READ    ? file.readable
         : operation == wire::PieceAsked::WRITE ? file.writable
                                                : true;
}

// As the other cluster has the user; in records of an older release the name is the same here.
std::string user_there(const Job& job) {
  return job.record.from().user().empty() ? job.asked->user() : job.record.from().user();
}

// The job came from that cluster, under this number and attempt, for this user.
bool is_of(const Job& job, const std::string& cluster, const wire::ForwardPiece& asked) {
  return job.record.from().cluster() == cluster &&
         key_of(job.record.from().key()) == key_of(asked.attempt().key()) &&
         job.record.from().attempt() == asked.attempt().attempt() && user_there(job) == asked.user();
}

// The other cluster that runs the job: it was forwarded there, or its first host is borrowed from there; "": none does, or did last.
std::string runs_in(const Job& job) {
  if (job.record.has_forwarded()) return job.record.forwarded().cluster();
  return job.record.hosts().empty() ? std::string()
                                    : std::string(HostId(job.record.hosts(0).name()).cluster());
}

// Of the terminal of a job in another cluster.
std::variant<PieceQuestion, wire::Piece> terminal_question(const Job& job, const wire::AskPiece& asked,
                                                           const Identity& who) {
  const std::string cluster = runs_in(job);
  if (who.uid != job.asked->uid() || job.asked->interactive() == wire::Submission::NONE ||
      asked.asked().terminal() == 0 || asked.asked().operation() == wire::PieceAsked::TERMINAL_END)
    return no_piece("no interactive job of yours runs in cluster " + cluster, false);
  if (asked.attempt() != job.record.attempt())
    return no_piece("Job <" + text(job.key()) + "> was started again", false);
  PieceQuestion question{cluster, {}};
  *question.piece.mutable_attempt() = attempt_of(Attempt{job.key(), job.record.attempt()});
  question.piece.set_user(job.asked->user());
  *question.piece.mutable_asked() = of_client(asked.asked());
  return question;
}

// Of a job that runs here for another cluster.
std::variant<PieceQuestion, wire::Piece> question_back(const Job& job, const wire::PieceAsked& asked,
                                                       const Identity& who) {
  if (who.uid != job.asked->uid() || is_part(job.record))
    return no_piece("no such job of yours is here for another cluster", false);
  if (finished(job.status())) return no_piece("the job is over", false);
  PieceQuestion question{job.record.from().cluster(), {}};
  auto& attempt = *question.piece.mutable_attempt();
  *attempt.mutable_key() = job.record.from().key();
  attempt.set_attempt(job.record.from().attempt());
  question.piece.set_user(user_there(job));
  *question.piece.mutable_asked() = asked;
  return question;
}

wire::Piece not_known() {
  return no_piece("this release does not know what is asked of a job's files", false);
}

}  // namespace

wire::Piece no_piece(std::string why, bool later) {
  wire::Piece piece;
  piece.set_why_not(std::move(why));
  piece.set_later(later);
  return piece;
}

std::variant<PieceQuestion, wire::Piece> piece_question(const Job* job, const wire::AskPiece& asked,
                                                        const Identity& who) {
  if (!known(asked.asked())) return not_known();
  if (of_submission(asked.asked())) {
    if (job != nullptr && job->record.has_from()) return question_back(*job, asked.asked(), who);
    return no_piece("no such job of yours is here for another cluster", false);
  }
  const std::string cluster = job == nullptr ? std::string() : runs_in(*job);
  if (cluster.empty()) return no_piece("no such job of yours runs in another cluster", false);
  if (of_terminal(asked.asked())) return terminal_question(*job, asked, who);
  if (who.uid != job->asked->uid() && !who.is_admin)
    return no_piece("no such job of yours runs in cluster " + cluster, false);
  const std::string name = "Job <" + text(job->key()) + ">";
  if (finished(job->status())) return at_its_end();
  if (pending(job->status()) || !job->record.started()) return no_piece(name + " : Not yet started.", true);
  if (asked.attempt() != job->record.attempt()) return no_piece(name + " was started again", true);
  PieceQuestion question{cluster, {}};
  *question.piece.mutable_attempt() = attempt_of(Attempt{job->key(), job->record.attempt()});
  question.piece.set_user(job->asked->user());
  *question.piece.mutable_asked() = asked.asked();
  return question;
}

std::variant<PieceOrder, wire::Piece> piece_order(const Job* job, const std::string& cluster,
                                                  const wire::ForwardPiece& asked) {
  if (!known(asked.asked()) || of_submission(asked.asked()) || of_terminal(asked.asked())) return not_known();
  if (job == nullptr || !is_of(*job, cluster, asked))
    return no_piece("no such job of this user is here for cluster " + plain_words(cluster), false);
  if (finished(job->status())) return at_its_end();
  if (is_part(job->record))
    return no_piece("the job began on a host of cluster " + plain_words(cluster), false);
  if (job->record.hosts_size() == 0 || pending(shown_status(job->record)))
    return no_piece("the job has not begun yet", true);
  // Both clusters show it as running from its first host's word on, and its program starts after that: it has written nothing yet.
  if (!job->record.started()) return wire::Piece();
  return PieceOrder{job->record.hosts(0).name(), {job->key(), job->record.attempt()}};
}

std::variant<FileOrder, wire::Piece> file_order(const Job* job, const std::string& cluster,
                                                const wire::ForwardPiece& asked) {
  if (!known(asked.asked()) || !of_submission(asked.asked())) return not_known();
  const bool its = job != nullptr && !cluster.empty() && runs_in(*job) == cluster &&
                   job->record.attempt() == asked.attempt().attempt() && job->asked->user() == asked.user();
  if (!its || finished(job->status()))
    return no_piece("no such job of this user is in cluster " + plain_words(cluster), false);
  const auto file = named_file(*job->asked, job->key(), asked.asked());
  if (!file || !allowed(*file, asked.asked().operation()))
    return no_piece("the job has no such file to read or to write", false);
  FileOrder order;
  order.host = job->asked->from_host();
  order.user = job->asked->user();
  order.uid = job->asked->uid();
  order.path = file->path;
  order.append = file->append;
  order.mode = mode_of(*job->asked, asked.asked());
  if (!file->suffix.empty())
    order.name = std::to_string(job->key().id) +
                 (job->key().index == 0 ? "" : "." + std::to_string(job->key().index)) + file->suffix;
  order.transfer = text(Attempt{job->key(), job->record.attempt()}) + " file " +
                   std::to_string(asked.asked().file()) + " " + std::to_string(asked.asked().transfer()) +
                   " copy " + std::to_string(asked.asked().copy());
  return order;
}

std::variant<TerminalOrder, wire::Piece> terminal_order(const Job* job, const wire::StreamPlace* place,
                                                        const std::string& cluster,
                                                        const wire::ForwardPiece& asked) {
  if (!known(asked.asked()) || !of_terminal(asked.asked()) || asked.asked().terminal() == 0)
    return not_known();
  if (job == nullptr || !is_of(*job, cluster, asked) || job->asked->interactive() == wire::Submission::NONE)
    return no_piece("no interactive job of this user is here for cluster " + plain_words(cluster), false);
  const bool begins = asked.asked().from() == 0 && !finished(job->status());
  // The answer for its output tells why it is over, and may be on its way still.
  if (!begins && asked.asked().operation() == wire::PieceAsked::TERMINAL_IN) return at_its_end();
  if (finished(job->status())) return no_piece("the job is over", false);
  if (!begins || asked.asked().operation() == wire::PieceAsked::TERMINAL_END)
    return no_piece("the job's terminal was closed", false);
  if (place == nullptr) return no_piece("the job's host does not await its client", false);
  return TerminalOrder{{job->key(), job->record.attempt()}, *place};
}

bool of_terminal(const wire::PieceAsked& asked) {
  return asked.operation() == wire::PieceAsked::TERMINAL_IN ||
         asked.operation() == wire::PieceAsked::TERMINAL_OUT ||
         asked.operation() == wire::PieceAsked::TERMINAL_END;
}

bool of_submission(const wire::PieceAsked& asked) {
  return asked.operation() == wire::PieceAsked::MARK || asked.operation() == wire::PieceAsked::READ ||
         asked.operation() == wire::PieceAsked::WRITE;
}

wire::Piece believed(const wire::Piece& told) {
  std::size_t bytes = told.data().size();
  for (const auto& message : told.told()) bytes += message.output().size() + message.errors().size();
  if (bytes > kMostPiece)
    return no_piece("found a piece of " + std::to_string(bytes) + " bytes, expected at most " +
                        std::to_string(kMostPiece),
                    false);
  if (told.told_size() > kMostMessages)
    return no_piece("found a piece of " + std::to_string(told.told_size()) + " messages, expected at most " +
                        std::to_string(kMostMessages),
                    false);
  if (told.why_not().empty()) {
    wire::Piece piece;
    piece.set_data(told.data());
    piece.set_over(told.over());
    for (const auto& message : told.told())
      if (auto taken = believed_of_terminal(message)) *piece.add_told() = std::move(*taken);
    return piece;
  }
  return no_piece(plain_words(told.why_not()), told.later());
}

}  // namespace rollcall::sched::peers
