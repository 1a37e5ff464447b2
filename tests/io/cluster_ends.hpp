// One end of a cluster's conversation for tests: a ClusterChannel with what it was given and what it said.
// Not a socket; bytes are passed by hand.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_keys.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io::test {

inline Seed bytes_of(std::uint8_t value) {
  Seed bytes;
  bytes.fill(value);
  return bytes;
}

inline ClusterKey cluster_key(std::uint8_t value = 0x11) {
  return {bytes_of(value), cluster::public_half(cluster::exchange_scalar(bytes_of(value)))};
}

inline std::string frame(std::string_view payload) {
  std::string out;
  wire::append_frame(out, payload);
  return out;
}

struct ClusterEnd {
  ClusterChannel channel;
  std::vector<std::string> payloads;  // that were opened here
  std::string sent;                   // what the handshake had to say

  explicit ClusterEnd(ClusterChannel c) : channel(std::move(c)) {}

  Result<void> feed(std::string_view bytes) {
    return channel.feed(bytes, sent, [this](std::string_view payload) -> Result<void> {
      payloads.emplace_back(payload);
      return {};
    });
  }

  // Feeds bytes that must be good; what the handshake says to them.
  std::string answer(std::string_view bytes) {
    sent.clear();
    const auto fed = feed(bytes);
    EXPECT_TRUE(fed) << fed.error().text;
    return std::exchange(sent, {});
  }

  // Feeds bytes that must be refused; the error's text ("" where they were not).
  std::string refusal(std::string_view bytes) {
    sent.clear();
    const auto fed = feed(bytes);
    return fed ? "" : fed.error().text;
  }
};

using Caller = ClusterChannel::Caller;
constexpr Caller kCallers[] = {Caller::daemon, Caller::owner, Caller::anyone};

inline ClusterEnd a_dialler(Caller who, const ClusterKey& key = cluster_key(), std::uint8_t seed = 0x22) {
  switch (who) {
    case Caller::daemon:
      return ClusterEnd(ClusterChannel::dial_as_daemon(key, bytes_of(seed)));
    case Caller::owner:
      return ClusterEnd(ClusterChannel::dial_as_owner(key, bytes_of(seed)));
    case Caller::anyone:
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
