// ConnectionId: the name of a task's connection; and which task has which. Values: the sockets are pam/starters.hpp's.
//
// A connection is a peer, and the task's number there: 0 where the peer is its TaskStarter, from 1 where it is the relay of a host, which
// numbers its tasks in the order in which they come. So the tasks of a peer are found by their place, and one costs four bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "pam/policy/roll_events.hpp"

namespace rollcall::pam {

using PeerId = std::uint64_t;

inline ConnectionId connection_id(PeerId peer, std::uint32_t number) { return peer << 32 | number; }
inline PeerId peer_of(ConnectionId id) { return id >> 32; }
inline std::uint32_t number_of(ConnectionId id) { return static_cast<std::uint32_t>(id); }

class ConnectionTids {
 public:
  void set(ConnectionId connection, Tid tid);
  std::optional<Tid> find(ConnectionId connection) const;
  void erase(ConnectionId connection);
  std::size_t peers() const { return peers_.size(); }

 private:
  struct Peer {
    std::vector<Tid> tids;  // by number
    std::size_t known = 0;  // of these
  };
  std::unordered_map<PeerId, Peer> peers_;
};

}  // namespace rollcall::pam
