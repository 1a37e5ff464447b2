#include "pam/policy/connections.hpp"

namespace rollcall::pam {
namespace {

constexpr Tid kNone = UINT32_MAX;

}  // namespace

void ConnectionTids::set(ConnectionId connection, Tid tid) {
  Peer& peer = peers_[peer_of(connection)];
  const std::size_t number = number_of(connection);
  if (number >= peer.tids.size()) peer.tids.resize(number + 1, kNone);
  if (peer.tids[number] == kNone) ++peer.known;
  peer.tids[number] = tid;
}

std::optional<Tid> ConnectionTids::find(ConnectionId connection) const {
  const auto peer = peers_.find(peer_of(connection));
  const std::size_t number = number_of(connection);
  if (peer == peers_.end() || number >= peer->second.tids.size()) return std::nullopt;
  const Tid tid = peer->second.tids[number];
  return tid == kNone ? std::nullopt : std::optional<Tid>(tid);
}

void ConnectionTids::erase(ConnectionId connection) {
  if (!find(connection)) return;
  const auto peer = peers_.find(peer_of(connection));
  peer->second.tids[number_of(connection)] = kNone;
  if (--peer->second.known == 0) peers_.erase(peer);
}

}  // namespace rollcall::pam
