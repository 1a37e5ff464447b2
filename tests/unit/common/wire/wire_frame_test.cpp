// The frame decoder: every rule of common/wire/frame.hpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/wire/frame.hpp"

namespace rollcall::wire {
namespace {

struct Receiver {
  FrameDecoder decoder;
  std::vector<std::string> payloads;
  std::size_t limit = kFrameLimit;

  Result<void> feed(std::string_view bytes) {
    return decoder.feed(
        bytes, [this] { return limit; },
        [this](std::string_view payload) -> Result<void> {
          payloads.emplace_back(payload);
          return {};
        });
  }
};

std::string frame(std::string_view payload) {
  std::string out;
  append_frame(out, payload);
  return out;
}

std::string header(std::uint32_t length) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(length >> shift & 0xff));
  return out;
}

TEST(Frame, IsFourBytesBigEndianAndThePayload) {
  EXPECT_EQ(frame("abc"), std::string("\0\0\0\3abc", 7));
  EXPECT_EQ(frame(std::string(0x10203, 'x')).substr(0, 4), std::string("\0\1\2\3", 4));
}

TEST(Frame, OfOneByteIsTheSmallest) {
  Receiver receiver;
  ASSERT_TRUE(receiver.feed(frame("x")));
  EXPECT_EQ(receiver.payloads, std::vector<std::string>{"x"});
}

TEST(Frame, SeveralInOneReadComeInOrder) {
  Receiver receiver;
  ASSERT_TRUE(receiver.feed(frame("one") + frame("two") + frame("three")));
  EXPECT_EQ(receiver.payloads, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(receiver.decoder.pending(), 0u);
}

TEST(Frame, ByteByByteIsTheSame) {
  Receiver receiver;
  for (const char byte : frame("one") + frame("two")) ASSERT_TRUE(receiver.feed({&byte, 1}));
  EXPECT_EQ(receiver.payloads, (std::vector<std::string>{"one", "two"}));
}

TEST(Frame, KeepsOnlyWhatIsUnfinished) {
  Receiver receiver;
  const std::string second = frame("second");
  ASSERT_TRUE(receiver.feed(frame("first") + second.substr(0, 7)));
  EXPECT_EQ(receiver.decoder.pending(), 7u);
  EXPECT_EQ(receiver.payloads.size(), 1u);
  ASSERT_TRUE(receiver.feed(second.substr(7)));
  EXPECT_EQ(receiver.decoder.pending(), 0u);
  EXPECT_EQ(receiver.payloads.back(), "second");
}

TEST(Frame, OfTheLimitPassesAndOneByteMoreIsRefused) {
  Receiver receiver;
  ASSERT_TRUE(receiver.feed(frame(std::string(kFrameLimit, 'x'))));
  EXPECT_EQ(receiver.payloads.at(0).size(), kFrameLimit);
  const auto refused = receiver.feed(header(kFrameLimit + 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "a frame of 1048577 bytes, expected 1 to 1048576");
}

TEST(Frame, OfFourGibibytesIsRefusedBeforeItsPayload) {
  Receiver receiver;
  ASSERT_TRUE(receiver.feed("\xff\xff\xff"));
  EXPECT_FALSE(receiver.feed("\xff"));
  EXPECT_LE(receiver.decoder.pending(), 4u);
  EXPECT_FALSE(Receiver{}.feed(header(0xffffffff) + "and more"));
}

TEST(Frame, EmptyFrameIsRefused) {
  EXPECT_FALSE(Receiver{}.feed(header(0)));
  EXPECT_FALSE(Receiver{}.feed(header(0) + "x"));
}

TEST(Frame, TheLimitIsAskedAnewForEachFrame) {
  Receiver receiver;
  receiver.limit = 4;
  std::size_t grown = 0;
  const auto fed = receiver.decoder.feed(
      frame("four") + frame("eleven, all"), [&] { return receiver.limit; },
      [&](std::string_view payload) -> Result<void> {
        receiver.limit = kFrameLimit;  // as when the first frame was the proof
        grown = payload.size();
        return {};
      });
  ASSERT_TRUE(fed);
  EXPECT_EQ(grown, 11u);
}

TEST(Frame, TheSinksErrorStopsTheRest) {
  FrameDecoder decoder;
  int seen = 0;
  const auto fed = decoder.feed(
      frame("one") + frame("two"), [] { return kFrameLimit; },
      [&](std::string_view) -> Result<void> {
        ++seen;
        return internal_error("enough");
      });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().text, "enough");
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace rollcall::wire
