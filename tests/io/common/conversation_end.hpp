// One end of a conversation for tests: a channel with what it was given and what it said. Not a socket; bytes are passed by hand.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io::test {

inline std::string frame(std::string_view payload) {
  std::string out;
  wire::append_frame(out, payload);
  return out;
}

template <class Channel>
struct ConversationEnd {
  Channel channel;
  std::vector<std::string> payloads;  // that were opened here
  std::string sent;                   // what the handshake had to say

  explicit ConversationEnd(Channel c) : channel(std::move(c)) {}

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

}  // namespace rollcall::io::test
