// Many conversations over one connection: what each rule of common/wire/channels.hpp promises.
#include "common/wire/channels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rollcall::wire {
namespace {

using ::testing::HasSubstr;

// One end and what it has heard.
struct Side {
  explicit Side(Channels::End end) : channels(end) {}
  Channels channels;
  std::map<ChannelId, std::string> heard;
  std::vector<ChannelId> opened, ended;
  bool passes_on = true;  // else the owner reads nothing
  std::string error;

  void feed(std::string_view bytes) {
    std::vector<Channels::Event> events;
    if (const auto fed = channels.feed(bytes, events); !fed) error = fed.error().text;
    for (const auto& event : events) {
      if (const auto* e = std::get_if<Channels::Opened>(&event)) opened.push_back(e->channel);
      if (const auto* e = std::get_if<Channels::Ended>(&event)) ended.push_back(e->channel);
      if (const auto* e = std::get_if<Channels::Arrived>(&event)) {
        heard[e->channel] += e->bytes;
        if (passes_on) channels.passed_on(e->channel, e->bytes.size());
      }
    }
  }
};

class ChannelsTest : public ::testing::Test {
 protected:
  // Carries bytes both ways until neither end has any to send.
  void settle() {
    for (bool more = true; more;) {
      const std::string there = near.channels.output(1 << 16), back = far.channels.output(1 << 16);
      far.feed(there);
      near.feed(back);
      more = !there.empty() || !back.empty();
    }
  }
  Side near{Channels::End::dialed}, far{Channels::End::accepted};
};

std::string piece(std::string_view body_with_channel_and_kind) {
  std::string bytes;
  append_frame(bytes, body_with_channel_and_kind);
  return bytes;
}

TEST_F(ChannelsTest, PiecesHaveTheDocumentedBytes) {
  const auto one = near.channels.open();
  near.channels.send(one, "ab");
  near.channels.close(one);
  EXPECT_EQ(near.channels.output(1000), std::string("\0\0\0\5\0\0\0\1\1"
                                                    "\0\0\0\7\0\0\0\1\2ab"
                                                    "\0\0\0\5\0\0\0\1\3",
                                                    9 + 11 + 9));
}

TEST_F(ChannelsTest, EachChannelKeepsItsOrderBothWays) {
  const auto one = near.channels.open(), two = near.channels.open();
  near.channels.send(one, "a");
  near.channels.send(two, "1");
  near.channels.send(one, "b");
  settle();
  far.channels.send(two, "x");
  far.channels.send(one, "y");
  near.channels.send(two, "2");
  settle();
  EXPECT_EQ(far.opened, (std::vector<ChannelId>{one, two}));
  EXPECT_EQ(far.heard[one], "ab");
  EXPECT_EQ(far.heard[two], "12");
  EXPECT_EQ(near.heard[one], "y");
  EXPECT_EQ(near.heard[two], "x");
}

TEST_F(ChannelsTest, ByteByByteIsTheSame) {
  const auto one = near.channels.open();
  near.channels.send(one, "hello");
  near.channels.close(one);
  const std::string bytes = near.channels.output(1000);
  for (const char byte : bytes) far.feed({&byte, 1});
  EXPECT_EQ(far.heard[one], "hello");
  EXPECT_EQ(far.ended, std::vector<ChannelId>{one});
  EXPECT_EQ(far.error, "");
}

TEST_F(ChannelsTest, HalfAPieceIsKeptUntilItIsWhole) {
  const auto one = near.channels.open();
  near.channels.send(one, "hello");
  const std::string bytes = near.channels.output(1000);
  far.feed(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(far.opened.size(), 1U);
  EXPECT_EQ(far.heard[one], "");
}

TEST_F(ChannelsTest, ACloseFollowsWhatWasSentAndEndsBothDirections) {
  const auto one = near.channels.open();
  near.channels.send(one, "last words");
  near.channels.close(one);
  near.channels.send(one, "too late");
  settle();
  EXPECT_EQ(far.heard[one], "last words");
  EXPECT_EQ(far.ended, std::vector<ChannelId>{one});
  far.channels.send(one, "nobody is there");
  settle();
  EXPECT_EQ(near.heard[one], "");
  EXPECT_EQ(near.ended, std::vector<ChannelId>{});
  EXPECT_EQ(near.channels.open_channels() + far.channels.open_channels(), 0U);
}

TEST_F(ChannelsTest, BytesThatCrossACloseAreNoError) {
  const auto one = near.channels.open();
  settle();
  far.channels.send(one, "under way");
  near.channels.close(one);
  settle();
  EXPECT_EQ(near.error + far.error, "");
  EXPECT_EQ(near.heard[one], "");
}

TEST_F(ChannelsTest, ReaderThatStopsGetsAWindowAndDelaysNoOther) {
  const auto slow = near.channels.open(), other = near.channels.open();
  settle();
  near.passes_on = false;  // of `slow`; the other one is passed on by hand
  far.channels.send(slow, std::string(3 * kChannelWindow, 's'));
  settle();
  EXPECT_EQ(near.heard[slow].size(), kChannelWindow);
  EXPECT_FALSE(far.channels.has_room(slow));
  for (int i = 0; i < 100; ++i) {
    far.channels.send(other, std::string(kChannelWindow / 10, 'o'));
    settle();
    near.channels.passed_on(other, kChannelWindow / 10);
    settle();
  }
  EXPECT_EQ(near.heard[other].size(), 100 * (kChannelWindow / 10));
  EXPECT_EQ(near.heard[slow].size(), kChannelWindow);
  near.channels.passed_on(slow, kChannelWindow);
  settle();
  EXPECT_EQ(near.heard[slow].size(), 2 * kChannelWindow);
  EXPECT_EQ(near.error + far.error, "");
}

TEST_F(ChannelsTest, SenderThatFloodsGetsItsTurnAlone) {
  const auto flood = near.channels.open();
  std::vector<ChannelId> others;
  for (int i = 0; i < 8; ++i) others.push_back(near.channels.open());
  near.channels.send(flood, std::string(kChannelWindow, 'f'));
  for (const auto other : others) near.channels.send(other, "short");
  far.feed(near.channels.output(2 * kPieceBytes));  // as much as some socket takes
  for (const auto other : others) EXPECT_EQ(far.heard[other], "short");
  EXPECT_LE(far.heard[flood].size(), 2 * kPieceBytes);
}

TEST_F(ChannelsTest, OutputIsLittleMoreThanWhatWasAskedFor) {
  const auto one = near.channels.open();
  near.channels.send(one, std::string(kChannelWindow, 'x'));
  EXPECT_LE(near.channels.output(100).size(), 100 + kPieceBytes + 9);
}

TEST_F(ChannelsTest, BytesOutsideTheProtocolAreAnError) {
  const auto error_of = [](const std::string& bytes, Channels::End end = Channels::End::accepted) {
    Side side(end);
    side.feed(bytes);
    return side.error;
  };
  const auto bytes = [](std::initializer_list<int> numbers) {
    std::string result;
    for (const int n : numbers) result.push_back(static_cast<char>(n));
    return result;
  };
  const std::string opened = piece(bytes({0, 0, 0, 1, 1}));
  EXPECT_EQ(error_of(opened), "");
  EXPECT_THAT(error_of(opened, Channels::End::dialed), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of(opened + opened), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of(piece(bytes({0, 0, 0, 0, 1}))), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of(piece(bytes({0, 0, 0, 1}))), HasSubstr("4 bytes"));
  EXPECT_THAT(error_of(piece(bytes({0, 0, 0, 1, 2, 'x'}))), HasSubstr("never opened"));
  EXPECT_THAT(error_of(opened + piece(bytes({0, 0, 0, 1, 9}))), HasSubstr("kind 9"));
  EXPECT_THAT(error_of(opened + piece(bytes({0, 0, 0, 1, 2}))), HasSubstr("no bytes"));
  EXPECT_THAT(error_of(opened + piece(bytes({0, 0, 0, 1, 3, 1}))), HasSubstr("behind its close"));
  EXPECT_THAT(error_of(opened + piece(bytes({0, 0, 0, 1, 4, 1}))), HasSubstr("credit of 1 bytes"));
  EXPECT_THAT(error_of(opened + piece(bytes({0, 0, 0, 1, 4, 0, 0, 0, 1}))), HasSubstr("more credit"));
  EXPECT_NE(error_of(bytes({0, 1, 0, 0})), "") << "a piece of 64 KiB";
  EXPECT_NE(error_of(bytes({-1, -1, -1, -1})), "") << "4 GiB";
}

TEST_F(ChannelsTest, ExceedingTheWindowIsAnErrorOfThePeer) {
  far.passes_on = false;
  std::string bytes = piece(std::string("\0\0\0\1\1", 5));
  for (std::size_t sent = 0; sent < kChannelWindow; sent += kPieceBytes)
    bytes += piece(std::string("\0\0\0\1\2", 5) + std::string(kPieceBytes, 'x'));
  far.feed(bytes);
  EXPECT_EQ(far.error, "");
  far.feed(piece(std::string("\0\0\0\1\2x", 6)));
  EXPECT_THAT(far.error, HasSubstr("more bytes than its window"));
}

}  // namespace
}  // namespace rollcall::wire
