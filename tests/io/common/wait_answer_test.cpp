// What pam answers a TaskStarter with that has to dial again: docs/protocol.md, Handshake.
#include "common/io/wait_answer.hpp"

#include <gtest/gtest.h>

#include "tests/io/common/channel_ends.hpp"

namespace rollcall::io {
namespace {

using Kind = FirstAnswer::Kind;

class WaitAnswer : public testing::Test {
 protected:
  static std::string hello_of(std::uint8_t nonce) {
    return SecureChannel::starter(Key{}, test::filled<kNonceBytes>(nonce)).start();
  }
  std::string hello = hello_of(1);
  std::string answer = wait_answer(Key{}, hello, std::chrono::milliseconds(4711));
};

TEST_F(WaitAnswer, TellsTheTime) {
  ASSERT_EQ(hello.size(), kHelloFrameBytes);
  ASSERT_EQ(answer.size(), kWaitFrameBytes);
  const auto read = first_answer(Key{}, hello, answer);
  EXPECT_EQ(read.kind, Kind::wait);
  EXPECT_EQ(read.wait, Duration{std::chrono::milliseconds(4711)});
}

TEST_F(WaitAnswer, MayArriveInAnyPieces) {
  for (std::size_t size = 0; size < answer.size(); ++size)
    EXPECT_EQ(first_answer(Key{}, hello, answer.substr(0, size)).kind, Kind::unfinished) << size;
}

TEST_F(WaitAnswer, EveryChangedByteIsSeen) {
  for (std::size_t at = 0; at < answer.size(); ++at) {
    std::string changed = answer;
    changed[at] ^= 1;
    EXPECT_NE(first_answer(Key{}, hello, changed).kind, Kind::wait) << at;
  }
}

TEST_F(WaitAnswer, AnswersOneHelloUnderOneKey) {
  EXPECT_EQ(first_answer(Key{}, hello_of(2), answer).kind, Kind::forged);
  EXPECT_EQ(first_answer(test::filled<kKeyBytes>(9), hello, answer).kind, Kind::forged);
}

TEST_F(WaitAnswer, AChallengeIsAnotherAnswer) {
  auto pam = SecureChannel::pam(Key{}, test::filled<kNonceBytes>(3), test::filled<kInstanceBytes>(4));
  std::string challenge;
  const auto nothing = [](std::string_view) { return Result<void>(); };
  ASSERT_TRUE(pam.feed(hello, challenge, nothing));
  EXPECT_EQ(first_answer(Key{}, hello, challenge).kind, Kind::other);
}

TEST_F(WaitAnswer, KnowsTheBeginningOfAHello) {
  EXPECT_TRUE(begins_hello(hello.substr(0, 39)));
  EXPECT_FALSE(begins_hello(hello)) << "it is whole";
  EXPECT_FALSE(begins_hello(std::string("\0\0\0\x11", 4))) << "a relay's";
}

}  // namespace
}  // namespace rollcall::io
