// ClusterChannel against every cut, every flipped bit and any bytes at all.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/io/common/cluster_ends.hpp"

namespace rollcall::io {
namespace {

using test::a_dialler;
using test::an_acceptor;
using test::Caller;
using test::ClusterEnd;
using test::ClusterPair;
using test::kCallers;

using Words = std::vector<std::string>;

// All that both ends said to each other.
struct Recording {
  std::string to_acceptor, to_dialler;
};

Recording record(Caller who, const Words& to_acceptor, const Words& to_dialler) {
  ClusterPair pair(who);
  Recording all{pair.dial + pair.finish, pair.accept};
  for (const auto& payload : to_acceptor) all.to_acceptor += pair.dialler.channel.seal(payload);
  for (const auto& payload : to_dialler) all.to_dialler += pair.acceptor.channel.seal(payload);
  return all;
}

ClusterEnd a_waiting_dialler(Caller who) {
  ClusterEnd dialler = a_dialler(who);
  dialler.channel.start();
  return dialler;
}

// Feeds `stream` in pieces whose sizes `next` gives; false at the first error.
template <class Next>
bool feed_in_pieces(ClusterEnd& end, std::string_view stream, const Next& next) {
  while (!stream.empty()) {
    const std::size_t size = std::min<std::size_t>(next(), stream.size());
    if (!end.feed(stream.substr(0, size))) return false;
    stream.remove_prefix(size);
  }
  return true;
}

RC_GTEST_PROP(ClusterChannel, AnyCuttingGivesTheSamePayloads, ()) {
  const auto words = rc::gen::container<Words>(rc::gen::nonEmpty<std::string>());
  const Words to_acceptor = *words, to_dialler = *words;
  const Caller who = *rc::gen::elementOf(std::vector<Caller>(std::begin(kCallers), std::end(kCallers)));
  const Recording all = record(who, to_acceptor, to_dialler);
  const auto next = [] { return *rc::gen::inRange<std::size_t>(1, 60); };

  ClusterEnd acceptor = an_acceptor(), dialler = a_waiting_dialler(who);
  RC_ASSERT(feed_in_pieces(acceptor, all.to_acceptor, next));
  RC_ASSERT(feed_in_pieces(dialler, all.to_dialler, next));
  RC_ASSERT(acceptor.payloads == to_acceptor);
  RC_ASSERT(dialler.payloads == to_dialler);
}

TEST(ClusterChannel, ByteByByteGivesTheSamePayloads) {
  const Words words = {"load", "x", std::string(300, 'y')};
  for (const Caller who : kCallers) {
    const Recording all = record(who, words, words);
    ClusterEnd acceptor = an_acceptor(), dialler = a_waiting_dialler(who);
    const auto one = [] { return 1; };
    EXPECT_TRUE(feed_in_pieces(acceptor, all.to_acceptor, one));
    EXPECT_TRUE(feed_in_pieces(dialler, all.to_dialler, one));
    EXPECT_EQ(acceptor.payloads, words);
    EXPECT_EQ(dialler.payloads, words);
  }
}

TEST(ClusterChannel, APeerThatStopsHalfWayIsWaitedForAndNothingIsGivenOut) {
  const Recording all = record(Caller::daemon, {"load"}, {});
  for (std::size_t size = 0; size < all.to_acceptor.size(); ++size) {
    ClusterEnd acceptor = an_acceptor();
    EXPECT_TRUE(acceptor.feed(std::string_view(all.to_acceptor).substr(0, size)));
    EXPECT_TRUE(acceptor.payloads.empty()) << size << " bytes";
  }
}

// Whatever was flipped: nothing is given out that was not said, and the conversation ends. A flip in a length may ask
// for more bytes first; what comes then does not open either.
void expect_no_flip_passes(const std::string& stream, const Words& said,
                           const std::function<ClusterEnd()>& fresh) {
  const std::string more(1 << 20, '\0');
  for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
    std::string flipped = stream;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    ClusterEnd end = fresh();
    const bool refused = !end.feed(flipped) || !end.feed(more);
    EXPECT_TRUE(refused) << "bit " << bit << " of " << stream.size() * 8;
    EXPECT_LT(end.payloads.size(), said.size()) << "bit " << bit;
    EXPECT_TRUE(std::equal(end.payloads.begin(), end.payloads.end(), said.begin())) << "bit " << bit;
  }
}

TEST(ClusterChannel, OneFlippedBitOnTheWayIsRefused) {
  const Words said = {"load", "more load"};
  for (const Caller who : kCallers) {
    expect_no_flip_passes(record(who, said, {}).to_acceptor, said, [] { return an_acceptor(); });
    expect_no_flip_passes(record(who, {}, said).to_dialler, said, [who] { return a_waiting_dialler(who); });
  }
}

RC_GTEST_PROP(ClusterChannel, AnyBytesAreRefusedOrWaitedFor, (const Words& reads)) {
  ClusterEnd acceptor = an_acceptor(), dialler = a_waiting_dialler(Caller::anyone);
  for (const auto& read : reads)
    if (!acceptor.feed(read)) break;
  for (const auto& read : reads)
    if (!dialler.feed(read)) break;
  RC_ASSERT(acceptor.payloads.empty());
  RC_ASSERT(dialler.payloads.empty());
  RC_ASSERT(!acceptor.channel.open());
  RC_ASSERT(!dialler.channel.open());
}

}  // namespace
}  // namespace rollcall::io
