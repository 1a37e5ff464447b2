#include "sched/policy/peers/job_terminal.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/peers/piece_rights.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr std::size_t kAllShares = 256 << 10, kLeastShare = 1 << 10;

std::string* bytes_of(wire::FromStream& message) {
  if (message.has_output()) return message.mutable_output();
  return message.has_errors() ? message.mutable_errors() : nullptr;
}

// Takes the first `most` bytes of an output away from it.
wire::FromStream split(wire::FromStream& message, std::size_t most) {
  std::string* const all = bytes_of(message);
  wire::FromStream head;
  (message.has_output() ? head.mutable_output() : head.mutable_errors())->assign(*all, 0, most);
  all->erase(0, most);
  return head;
}

}  // namespace

std::size_t share_of_terminal(std::size_t terminals) {
  return std::clamp(kAllShares / std::max<std::size_t>(terminals, 1), kLeastShare, kMostPiece);
}

bool ends_stream(const wire::FromStream& message) {
  return message.has_over() || message.has_not_started() || message.has_lost();
}

terminal::Effects JobTerminal::in(std::uint64_t question, const wire::PieceAsked& asked,
                                  std::size_t unpassed) {
  const auto refuse = [&](std::string why) -> terminal::Effects {
    return {terminal::Answer{question, no_piece(std::move(why), false)}};
  };
  if (asked.from() + 1 == ins_) return {terminal::Answer{question, {}}};  // its answer was lost
  if (asked.from() != ins_) return refuse("found a piece for the job out of turn");
  const std::size_t bytes = asked.ByteSizeLong();
  if (state_ != State::over && unpassed + kept_bytes_ + bytes > kMostUnpassed)
    return refuse("found more for the job than its host has taken");
  ++ins_;
  terminal::Effects effects;
  for (const auto& message : asked.said()) {
    if (state_ == State::open) effects.push_back(terminal::Pass{message});
    if (state_ != State::over && !heard_) kept_.push_back(message);
  }
  if (!kept_.empty()) kept_bytes_ += bytes;
  effects.push_back(terminal::Answer{question, {}});
  return effects;
}

terminal::Effects JobTerminal::out(std::uint64_t question, const wire::PieceAsked& asked, std::size_t most) {
  terminal::Effects effects;
  if (waits_)
    effects.push_back(terminal::Answer{*std::exchange(waits_, std::nullopt),
                                       no_piece("the terminal was asked for again", false)});
  if (asked.from() + 1 == outs_) {
    effects.push_back(terminal::Answer{question, last_});
  } else if (asked.from() != outs_) {
    effects.push_back(terminal::Answer{question, no_piece("found a question for output out of turn", false)});
  } else {
    waits_ = question;
    answer_waiting(most, effects);
  }
  return effects;
}

terminal::Effects JobTerminal::opened() {
  if (state_ != State::dialling) return {};
  state_ = State::open;
  terminal::Effects effects;
  for (const auto& message : kept_) effects.push_back(terminal::Pass{message});
  return effects;
}

terminal::Effects JobTerminal::told(const wire::FromStream& message, std::size_t most) {
  if (state_ != State::open) return {};
  heard_ = true;
  kept_.clear();
  kept_bytes_ = 0;
  if (ends_stream(message)) state_ = State::over;
  keep(message);
  terminal::Effects effects;
  answer_waiting(most, effects);
  return effects;
}

terminal::Effects JobTerminal::lost(const std::string& why, std::size_t most) {
  if (state_ == State::over) return {};
  if (!heard_ && dials_ < kMostDials) {
    ++dials_;
    state_ = State::dialling;
    return {terminal::Dial{}};
  }
  state_ = State::over;
  kept_.clear();
  kept_bytes_ = 0;
  wire::FromStream message;
  message.mutable_lost()->set_why(why);
  keep(std::move(message));
  terminal::Effects effects;
  answer_waiting(most, effects);
  return effects;
}

terminal::Effects JobTerminal::closed(const std::string& why) {
  if (!waits_) return {};
  return {terminal::Answer{*std::exchange(waits_, std::nullopt), no_piece(why, false)}};
}

void JobTerminal::keep(wire::FromStream message) {
  told_bytes_ += message.ByteSizeLong();
  told_.push_back(std::move(message));
}

void JobTerminal::answer_waiting(std::size_t most, terminal::Effects& effects) {
  if (!waits_ || told_.empty()) return;
  last_ = next_piece(most);
  ++outs_;
  finished_ = ends_stream(*last_.told().rbegin());
  effects.push_back(terminal::Answer{*std::exchange(waits_, std::nullopt), last_});
}

// As many messages as the answer has room for, one at least; output is cut where it is longer.
wire::Piece JobTerminal::next_piece(std::size_t most) {
  wire::Piece piece;
  std::size_t room = std::max<std::size_t>(most, 1);
  while (!told_.empty() && room > 0 && piece.told_size() < kMostMessages) {
    wire::FromStream& first = told_.front();
    const std::string* const bytes = bytes_of(first);
    if (bytes && bytes->size() > room) {
      *piece.add_told() = split(first, room);
      told_bytes_ -= room;
      return piece;
    }
    const std::size_t size = first.ByteSizeLong();
    if (!bytes && piece.told_size() != 0 && size > room) return piece;
    room -= std::min(room, bytes ? bytes->size() : size);
    told_bytes_ -= std::min(told_bytes_, size);
    *piece.add_told() = std::move(first);
    told_.pop_front();
  }
  if (told_.empty()) told_bytes_ = 0;  // the frames of messages that were cut
  return piece;
}

}  // namespace rollcall::sched::peers
