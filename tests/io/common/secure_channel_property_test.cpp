// SecureChannel against every cut, every flipped bit and every replay of a whole conversation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/io/secure_channel.hpp"
#include "tests/io/common/channel_ends.hpp"

namespace rollcall::io {
namespace {

using test::End;
using test::filled;

const Key kKey = filled<kKeyBytes>(0x11);
const Instance kInstance = filled<kInstanceBytes>(0x44);

End a_starter(std::uint8_t nonce = 0x22) {
  return End(SecureChannel::starter(kKey, filled<kNonceBytes>(nonce)));
}
End a_pam(std::uint8_t nonce = 0x33) {
  return End(SecureChannel::pam(kKey, filled<kNonceBytes>(nonce), kInstance));
}

// All that a starter and a pam said to each other.
struct Recording {
  std::string to_pam, to_starter;
};

Recording record(const std::vector<std::string>& to_pam, const std::vector<std::string>& to_starter) {
  End starter = a_starter(), pam = a_pam();
  Recording all;
  all.to_pam = starter.channel.start();
  all.to_starter = pam.answer(all.to_pam);
  const std::string proof = starter.answer(all.to_starter);
  all.to_pam += proof;
  pam.answer(proof);
  for (const auto& payload : to_pam) all.to_pam += starter.channel.seal(payload);
  for (const auto& payload : to_starter) all.to_starter += pam.channel.seal(payload);
  return all;
}

// Feeds `stream` in pieces whose sizes `next` gives; false at the first error.
template <class Next>
bool feed_in_pieces(End& end, std::string_view stream, const Next& next) {
  while (!stream.empty()) {
    const std::size_t size = std::min<std::size_t>(next(), stream.size());
    if (!end.feed(stream.substr(0, size))) return false;
    stream.remove_prefix(size);
  }
  return true;
}

RC_GTEST_PROP(SecureChannel, AnyCuttingGivesTheSamePayloads, ()) {
  const auto words = rc::gen::container<std::vector<std::string>>(rc::gen::nonEmpty<std::string>());
  const auto to_pam = *words, to_starter = *words;
  const Recording all = record(to_pam, to_starter);
  const auto next = [] { return *rc::gen::inRange<std::size_t>(1, 60); };

  End pam = a_pam(), starter = a_starter();
  starter.channel.start();
  RC_ASSERT(feed_in_pieces(pam, all.to_pam, next));
  RC_ASSERT(feed_in_pieces(starter, all.to_starter, next));
  RC_ASSERT(pam.payloads == to_pam);
  RC_ASSERT(starter.payloads == to_starter);
}

TEST(SecureChannel, ByteByByteGivesTheSamePayloads) {
  const std::vector<std::string> words = {"registration", "x", std::string(300, 'y')};
  const Recording all = record(words, words);
  End pam = a_pam(), starter = a_starter();
  starter.channel.start();
  const auto one = [] { return 1; };
  EXPECT_TRUE(feed_in_pieces(pam, all.to_pam, one));
  EXPECT_TRUE(feed_in_pieces(starter, all.to_starter, one));
  EXPECT_EQ(pam.payloads, words);
  EXPECT_EQ(starter.payloads, words);
}

TEST(SecureChannel, APeerThatStopsHalfWayIsWaitedForAndNothingIsGivenOut) {
  const Recording all = record({"registration"}, {});
  for (std::size_t size = 0; size < all.to_pam.size(); ++size) {
    End pam = a_pam();
    EXPECT_TRUE(pam.feed(std::string_view(all.to_pam).substr(0, size)));
    EXPECT_TRUE(pam.payloads.empty()) << size << " bytes";
  }
}

// Whatever was flipped: nothing is given out that was not said, and the conversation ends. A flip in a length
// may ask for more bytes first; what comes then does not open either.
void expect_no_flip_passes(const std::string& stream, const std::vector<std::string>& said, End (*fresh)()) {
  const std::string more(1 << 20, '\0');
  for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
    std::string flipped = stream;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    End end = fresh();
    const bool refused = !end.feed(flipped) || !end.feed(more);
    EXPECT_TRUE(refused) << "bit " << bit << " of " << stream.size() * 8;
    EXPECT_LT(end.payloads.size(), said.size()) << "bit " << bit;
    EXPECT_TRUE(std::equal(end.payloads.begin(), end.payloads.end(), said.begin())) << "bit " << bit;
  }
}

TEST(SecureChannel, OneFlippedBitOnTheWayToPamIsRefused) {
  const std::vector<std::string> said = {"registration", "the end"};
  expect_no_flip_passes(record(said, {}).to_pam, said, [] { return a_pam(); });
}

TEST(SecureChannel, OneFlippedBitOnTheWayToTheStarterIsRefused) {
  const std::vector<std::string> said = {"welcome", "signal"};
  expect_no_flip_passes(record({}, said).to_starter, said, [] {
    End starter = a_starter();
    starter.channel.start();
    return starter;
  });
}

TEST(SecureChannel, ARecordedConversationIsNoUseAgainstAnotherPam) {
  const Recording all = record({"registration", "the end"}, {});
  End pam = a_pam(0x34);
  EXPECT_EQ(pam.refusal(all.to_pam), "the starter does not hold our key");
  EXPECT_TRUE(pam.payloads.empty());
}

TEST(SecureChannel, ARecordedConversationIsNoUseAgainstAnotherStarter) {
  const Recording all = record({}, {"end the task"});
  End starter = a_starter(0x23);
  starter.channel.start();
  EXPECT_EQ(starter.refusal(all.to_starter), "pam does not hold our key");
  EXPECT_TRUE(starter.payloads.empty());
}

RC_GTEST_PROP(SecureChannel, AnyBytesAreRefusedOrWaitedFor, (const std::vector<std::string>& reads)) {
  End pam = a_pam(), starter = a_starter();
  starter.channel.start();
  for (const auto& read : reads)
    if (!pam.feed(read)) break;
  for (const auto& read : reads)
    if (!starter.feed(read)) break;
  RC_ASSERT(pam.payloads.empty());
  RC_ASSERT(starter.payloads.empty());
  RC_ASSERT(!pam.channel.open());
  RC_ASSERT(!starter.channel.open());
}

}  // namespace
}  // namespace rollcall::io
