// The ends of a cluster's conversation, for tests.
#pragma once

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_keys.hpp"
#include "tests/io/common/conversation_end.hpp"

namespace rollcall::io::test {

inline Seed bytes_of(std::uint8_t value) {
  Seed bytes;
  bytes.fill(value);
  return bytes;
}

inline ClusterKey cluster_key(std::uint8_t value = 0x11) {
  return {bytes_of(value), cluster::public_half(cluster::exchange_scalar(bytes_of(value)))};
}

using ClusterEnd = ConversationEnd<ClusterChannel>;

using Caller = ClusterChannel::Caller;
constexpr Caller kCallers[] = {Caller::daemon, Caller::owner, Caller::anyone};

inline ClusterEnd a_dialler(Caller who, const ClusterKey& key = cluster_key(), std::uint8_t seed = 0x22) {
  switch (who) {
    case Caller::daemon:
      return ClusterEnd(ClusterChannel::dial_as_daemon(key, bytes_of(seed)));
    case Caller::owner:
      return ClusterEnd(ClusterChannel::dial_as_owner(key, bytes_of(seed)));
    case Caller::anyone:
    case Caller::ticket:  // ticket_channel_test has those
    case Caller::peer:    // peer_keys_test
      break;
  }
  return ClusterEnd(ClusterChannel::dial_as_anyone(key.public_half, bytes_of(seed)));
}

inline ClusterEnd an_acceptor(const ClusterKey& key = cluster_key(), std::uint8_t seed = 0x33) {
  return ClusterEnd(ClusterChannel::accept(key, bytes_of(seed)));
}

// Both ends, open, and what they said on the way.
struct ClusterPair {
  ClusterEnd dialler, acceptor = an_acceptor();
  std::string dial, accept, finish;

  explicit ClusterPair(Caller who = Caller::daemon) : dialler(a_dialler(who)) {
    dial = dialler.channel.start();
    accept = acceptor.answer(dial);
    finish = dialler.answer(accept);
    acceptor.answer(finish);
  }
};

}  // namespace rollcall::io::test
