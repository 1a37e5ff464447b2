#include "sched/mbatchd/job_terminals.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/peers/crossing.hpp"
#include "sched/policy/peers/forward_messages.hpp"
#include "sched/policy/peers/piece_rights.hpp"
#include "sched/policy/peers/terminal_clients.hpp"

namespace rollcall::mbatchd {
namespace {

namespace peers = sched::peers;

}  // namespace

std::size_t JobTerminals::of(const std::string& cluster) const {
  return static_cast<std::size_t>(std::count_if(
      terminals_.begin(), terminals_.end(), [&](const auto& one) { return one.first.cluster == cluster; }));
}

std::size_t JobTerminals::share(const std::string& cluster) const {
  return peers::share_of_terminal(of(cluster));
}

void JobTerminals::asked(const std::string& cluster, const wire::ForwardPiece& piece) {
  if (!peers::check(piece.attempt()))
    return answer(cluster, piece.number(), peers::no_piece("found an attempt without a number", false));
  const Place place{cluster, peers::attempt_of(piece.attempt())};
  Terminal* const found = terminal(place, piece);
  if (!found) return;
  const wire::PieceAsked& asked = piece.asked();
  if (asked.operation() == wire::PieceAsked::TERMINAL_END) {
    answer(cluster, piece.number(), {});
    return end(place);
  }
  carry_out(place, asked.operation() == wire::PieceAsked::TERMINAL_IN
                       ? found->policy.in(piece.number(), asked, found->call->unsent())
                       : found->policy.out(piece.number(), asked, share(cluster)));
}

JobTerminals::Terminal* JobTerminals::terminal(const Place& place, const wire::ForwardPiece& piece) {
  const auto refuse = [&](wire::Piece no) -> Terminal* {
    answer(place.cluster, piece.number(), std::move(no));
    return nullptr;
  };
  if (const auto known = terminals_.find(place); known != terminals_.end()) {
    if (known->second.user != piece.user() || known->second.policy.number() != piece.asked().terminal())
      return refuse(peers::no_piece("the job has another terminal", false));
    return &known->second;
  }
  const auto key = forwards_.job_of(place.cluster, piece.attempt());
  auto may = peers::terminal_order(key ? jobs_.find(*key) : nullptr, key ? jobs_.stream(*key) : nullptr,
                                   place.cluster, piece);
  if (auto* const no = std::get_if<wire::Piece>(&may)) return refuse(std::move(*no));
  if (of(place.cluster) >= peers::kMostTerminals)
    return refuse(peers::no_piece("this cluster has too many terminals for yours", false));
  auto& opened = terminals_
                     .emplace(place, Terminal{piece.user(), std::get<peers::TerminalOrder>(may).place,
                                              peers::JobTerminal(piece.asked().terminal()), nullptr})
                     .first->second;
  dial(place, opened);
  return &opened;
}

void JobTerminals::dial(const Place& place, Terminal& terminal) {
  terminal.call = std::make_unique<io::StreamCall>(
      loop_, names_, terminal.host,
      io::StreamCall::Handler{[this, place] {
                                if (const auto at = terminals_.find(place); at != terminals_.end())
                                  carry_out(place, at->second.policy.opened());
                              },
                              [this, place](std::string_view payload) { return told(place, payload); },
                              [this, place](const std::string& why) {
                                if (const auto at = terminals_.find(place); at != terminals_.end())
                                  carry_out(place, at->second.policy.lost(why, share(place.cluster)));
                              }});
}

Result<void> JobTerminals::told(const Place& place, std::string_view payload) {
  wire::FromStream message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error("found a message that cannot be read, expected FromStream");
  if (message.has_over()) message.mutable_over()->clear_usage();
  const auto at = terminals_.find(place);
  if (at != terminals_.end()) carry_out(place, at->second.policy.told(message, share(place.cluster)));
  return {};
}

void JobTerminals::carry_out(const Place& place, peers::terminal::Effects effects) {
  for (auto& effect : effects) {
    if (auto* const told = std::get_if<peers::terminal::Answer>(&effect)) {
      answer(place.cluster, told->question, std::move(told->piece));
      continue;
    }
    const auto at = terminals_.find(place);
    if (at == terminals_.end()) return;
    if (const auto* const pass = std::get_if<peers::terminal::Pass>(&effect))
      at->second.call->send(pass->message.SerializeAsString());
    else
      dial(place, at->second);
  }
  settle(place);
}

void JobTerminals::settle(const Place& place) {
  const auto at = terminals_.find(place);
  if (at == terminals_.end()) return;
  if (!at->second.policy.finished()) return at->second.call->read(at->second.policy.may_read());
  at->second.call->leave();
  terminals_.erase(at);
}

// As where a client is lost within one cluster: the shepherd ends the job.
void JobTerminals::end(const Place& place) {
  auto gone = terminals_.extract(place);
  for (auto& effect : gone.mapped().policy.closed("its client is gone"))
    if (auto* const told = std::get_if<peers::terminal::Answer>(&effect))
      answer(place.cluster, told->question, std::move(told->piece));
  wire::ToStream message;
  message.mutable_gone();
  gone.mapped().call->send(message.SerializeAsString());
  gone.mapped().call->leave();
}

void JobTerminals::lost(const std::string& cluster) {
  std::erase_if(terminals_, [&](const auto& one) { return one.first.cluster == cluster; });
}

void JobTerminals::answer(const std::string& cluster, std::uint64_t number, wire::Piece piece) {
  wire::PeerMessage message;
  message.mutable_piece_read()->set_number(number);
  *message.mutable_piece_read()->mutable_piece() = std::move(piece);
  say_(cluster, std::move(message));
}

}  // namespace rollcall::mbatchd
