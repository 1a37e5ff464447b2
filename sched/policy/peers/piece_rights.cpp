#include "sched/policy/peers/piece_rights.hpp"

#include <utility>

#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/peer_identity.hpp"

namespace rollcall::sched::peers {
namespace {

wire::Piece at_its_end() {
  wire::Piece piece;
  piece.set_over(true);
  return piece;
}

bool known(const wire::PieceAsked& asked) {
  return asked.from() >= 0 &&
         (asked.operation() == wire::PieceAsked::OUTPUT || asked.operation() == wire::PieceAsked::ERRORS);
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
  if (job == nullptr || !job->record.has_forwarded())
    return no_piece("no such job of yours runs in another cluster", false);
  const std::string& cluster = job->record.forwarded().cluster();
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
  if (!known(asked.asked())) return not_known();
  // As the other cluster has the user; in records of an older release the name is the same here.
  const auto user_there = [](const Job& of) {
    return of.record.from().user().empty() ? of.asked->user() : of.record.from().user();
  };
  const bool its = job != nullptr && job->record.from().cluster() == cluster &&
                   key_of(job->record.from().key()) == key_of(asked.attempt().key()) &&
                   job->record.from().attempt() == asked.attempt().attempt() &&
                   user_there(*job) == asked.user();
  if (!its) return no_piece("no such job of this user is here for cluster " + plain_words(cluster), false);
  if (finished(job->status())) return at_its_end();
  if (job->record.hosts_size() == 0 || !job->record.started())
    return no_piece("the job has not begun yet", true);
  return PieceOrder{job->record.hosts(0).name(), {job->key(), job->record.attempt()}};
}

wire::Piece believed(const wire::Piece& told) {
  if (told.data().size() > kMostPiece)
    return no_piece("found a piece of " + std::to_string(told.data().size()) + " bytes, expected at most " +
                        std::to_string(kMostPiece),
                    false);
  if (told.why_not().empty()) {
    wire::Piece piece;
    piece.set_data(told.data());
    piece.set_over(told.over());
    return piece;
  }
  return no_piece(plain_words(told.why_not()), told.later());
}

}  // namespace rollcall::sched::peers
