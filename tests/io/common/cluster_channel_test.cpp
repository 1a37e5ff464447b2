// ClusterChannel: every row of its header's table, as what each caller is accepted, and attacks on the wire.
#include "common/io/cluster_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <string>
#include <vector>

#include "tests/io/common/cluster_ends.hpp"

namespace rollcall::io {
namespace {

using test::a_dialler;
using test::an_acceptor;
using test::bytes_of;
using test::Caller;
using test::cluster_key;
using test::ClusterEnd;
using test::ClusterPair;
using test::frame;
using test::kCallers;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- the table, row by row

TEST(ClusterChannel, OpensOnBothEndsForEveryCaller) {
  for (const Caller who : kCallers) {
    ClusterEnd dialler = a_dialler(who), acceptor = an_acceptor();
    const std::string accept = acceptor.answer(dialler.channel.start());
    EXPECT_FALSE(acceptor.channel.open());
    EXPECT_FALSE(dialler.channel.open());
    const std::string finish = dialler.answer(accept);
    EXPECT_TRUE(dialler.channel.open());
    EXPECT_FALSE(acceptor.channel.open());
    EXPECT_EQ(acceptor.answer(finish), "");
    ASSERT_TRUE(acceptor.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), who);
  }
}

// Preparing before the handshake changes no byte of it.
TEST(ClusterChannel, MayBePreparedOnBothEnds) {
  for (const Caller who : kCallers) {
    ClusterEnd plain_dialler = a_dialler(who), plain_acceptor = an_acceptor();
    ClusterEnd dialler = a_dialler(who);
    ClusterEnd acceptor(ClusterChannel::accept(cluster_key(), ClusterChannel::OwnKey(bytes_of(0x33))));
    dialler.channel.prepare();  // nothing yet
    const std::string call = dialler.channel.start();
    EXPECT_EQ(call, plain_dialler.channel.start());
    dialler.channel.prepare();
    const std::string accept = acceptor.answer(call);
    EXPECT_EQ(accept, plain_acceptor.answer(call));
    const std::string finish = dialler.answer(accept);
    EXPECT_EQ(finish, plain_dialler.answer(accept));
    acceptor.answer(finish);
    ASSERT_TRUE(acceptor.channel.open() && dialler.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), who);
    acceptor.channel.prepare();  // nothing for who accepts
    dialler.channel.prepare();   // nor any more
    acceptor.answer(dialler.channel.seal("hello"));
    EXPECT_THAT(acceptor.payloads, ElementsAre("hello"));
  }
}

TEST(ClusterChannel, CarriesPayloadsBothWays) {
  ClusterPair pair;
  pair.acceptor.answer(pair.dialler.channel.seal("hello"));
  pair.acceptor.answer(pair.dialler.channel.seal("load"));
  pair.dialler.answer(pair.acceptor.channel.seal("welcome"));
  EXPECT_THAT(pair.acceptor.payloads, ElementsAre("hello", "load"));
  EXPECT_THAT(pair.dialler.payloads, ElementsAre("welcome"));
}

TEST(ClusterChannel, TakesFinishAndTheFirstRecordsInOneRead) {
  ClusterEnd dialler = a_dialler(Caller::anyone), acceptor = an_acceptor();
  std::string flight = dialler.answer(acceptor.answer(dialler.channel.start()));
  flight += dialler.channel.seal("request");
  flight += dialler.channel.seal(std::string(5000, 'x'));
  acceptor.answer(flight);
  EXPECT_THAT(acceptor.payloads, ElementsAre("request", std::string(5000, 'x')));
}

TEST(ClusterChannel, TheSinkMayAnswer) {
  ClusterPair pair;
  std::string out, reply;
  ASSERT_TRUE(pair.acceptor.channel.feed(pair.dialler.channel.seal("request"), out,
                                         [&](std::string_view) -> Result<void> {
                                           reply = pair.acceptor.channel.seal("reply");
                                           return {};
                                         }));
  pair.dialler.answer(reply);
  EXPECT_THAT(pair.dialler.payloads, ElementsAre("reply"));
}

TEST(ClusterChannel, NothingIsTakenOutOfTurn) {
  ClusterPair said;
  const std::string to_acceptor = said.dialler.channel.seal("x"),
                    to_dialler = said.acceptor.channel.seal("x");
  for (const std::string& bytes : {said.dial, said.accept, said.finish, to_dialler})
    EXPECT_NE(a_dialler(Caller::daemon).refusal(bytes), "");
  for (const std::string& bytes : {said.dial, said.finish, to_dialler}) {
    ClusterEnd dialler = a_dialler(Caller::daemon);
    dialler.channel.start();
    EXPECT_NE(dialler.refusal(bytes), "");
    EXPECT_FALSE(dialler.channel.open());
  }
  for (const std::string& bytes : {said.accept, said.finish, to_acceptor})
    EXPECT_NE(an_acceptor().refusal(bytes), "");
  for (const std::string& bytes : {said.dial, said.accept, to_acceptor}) {
    ClusterEnd acceptor = an_acceptor();
    acceptor.answer(said.dial);
    EXPECT_NE(acceptor.refusal(bytes), "");
    EXPECT_FALSE(acceptor.channel.open());
  }
  for (const std::string& bytes : {said.dial, said.accept, said.finish}) {
    ClusterPair open;
    EXPECT_NE(open.dialler.refusal(bytes), "");
    EXPECT_NE(open.acceptor.refusal(bytes), "");
  }
}

TEST(ClusterChannel, AnErrorIsFinal) {
  ClusterPair pair;
  const std::string good = pair.dialler.channel.seal("load");
  EXPECT_NE(pair.acceptor.refusal(frame("garbage that is long enough")), "");
  EXPECT_FALSE(pair.acceptor.channel.open());
  EXPECT_EQ(pair.acceptor.channel.most(), 0u);
  EXPECT_NE(pair.acceptor.refusal(good), "");
  EXPECT_THAT(pair.acceptor.payloads, IsEmpty());
}

TEST(ClusterChannel, TheSinksErrorIsPassedOnAndFinal) {
  ClusterPair pair;
  std::string out;
  const auto fed = pair.acceptor.channel.feed(pair.dialler.channel.seal("x"), out, [](std::string_view) {
    return Result<void>(internal_error("no such message"));
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().text, "no such message");
  EXPECT_FALSE(pair.acceptor.channel.open());
}

TEST(ClusterChannel, ItCanBeMoved) {
  ClusterPair pair;
  ClusterChannel moved = std::move(pair.acceptor.channel);
  pair.dialler.answer(moved.seal("welcome"));
  EXPECT_THAT(pair.dialler.payloads, ElementsAre("welcome"));
}

// --- who is there

TEST(ClusterChannel, WhoHasTheClustersPublicHalfAloneIsNobodyMore) {
  // The secret of another cluster, with this one's public half: all that a client can make up.
  ClusterKey forged = cluster_key(0x12);
  forged.public_half = cluster_key().public_half;
  for (const Caller who : {Caller::daemon, Caller::owner}) {
    ClusterEnd dialler = a_dialler(who, forged), acceptor = an_acceptor();
    const std::string finish = dialler.answer(acceptor.answer(dialler.channel.start()));
    EXPECT_EQ(acceptor.refusal(finish), "the caller does not hold the cluster's key");
    EXPECT_FALSE(acceptor.channel.open());
  }
}

TEST(ClusterChannel, ADaemonOfAnotherClusterIsRefusedByBothEnds) {
  for (const Caller who : kCallers) {
    ClusterEnd dialler = a_dialler(who), other = an_acceptor(cluster_key(0x12));
    EXPECT_EQ(dialler.refusal(other.answer(dialler.channel.start())),
              "what answers does not hold the cluster's key");
    EXPECT_EQ(dialler.sent, "");
    EXPECT_NE(other.refusal(frame(std::string(32, 'p'))), "");
  }
}

TEST(ClusterChannel, WhoAnswersMustHoldTheSecretNotOnlyThePublicHalf) {
  ClusterKey forged = cluster_key(0x12);
  forged.public_half = cluster_key().public_half;
  ClusterEnd dialler = a_dialler(Caller::anyone), impostor = an_acceptor(forged);
  EXPECT_EQ(dialler.refusal(impostor.answer(dialler.channel.start())),
            "what answers does not hold the cluster's key");
}

TEST(ClusterChannel, AnyoneMustStillProveThatHeDialled) {
  ClusterEnd dialler = a_dialler(Caller::anyone), acceptor = an_acceptor();
  acceptor.answer(dialler.channel.start());
  EXPECT_EQ(acceptor.refusal(frame(std::string(32, 'p'))),
            "the caller does not know the cluster's public key");
}

// A man in the middle raises "anyone" to "daemon", or lowers it, or names a kind there is not.
TEST(ClusterChannel, TheKindCannotBeChangedOnTheWay) {
  for (const Caller who : kCallers)
    for (int kind = 0; kind < 4; ++kind) {
      ClusterEnd dialler = a_dialler(who), acceptor = an_acceptor();
      std::string dial = dialler.channel.start();
      if (dial[5] == kind) continue;
      dial[5] = static_cast<char>(kind);
      if (kind == 3) {
        EXPECT_EQ(acceptor.refusal(dial), "a call of kind 3, expected 0 to 2");
        continue;
      }
      EXPECT_EQ(dialler.refusal(acceptor.answer(dial)), "what answers does not hold the cluster's key");
    }
}

// The proof of one kind is none of another, even with everything else the same.
TEST(ClusterChannel, AProofIsForItsKindAlone) {
  for (const Caller who : kCallers)
    for (const Caller claimed : kCallers) {
      if (who == claimed) continue;
      const std::string finish = ClusterPair(who).finish;
      ClusterEnd acceptor = an_acceptor();
      acceptor.answer(a_dialler(claimed).channel.start());
      EXPECT_NE(acceptor.refusal(finish), "");
    }
}

TEST(ClusterChannel, AnAnswersOwnProofIsNotTheCallers) {
  ClusterEnd dialler = a_dialler(Caller::anyone), acceptor = an_acceptor();
  const std::string accept = acceptor.answer(dialler.channel.start());
  EXPECT_NE(acceptor.refusal(frame(accept.substr(4 + 32))), "");
}

TEST(ClusterChannel, AMirrorIsNoDaemon) {
  ClusterEnd dialler = a_dialler(Caller::daemon);
  const std::string dial = dialler.channel.start();
  EXPECT_NE(dialler.refusal(dial), "");
  ClusterEnd acceptor = an_acceptor();
  EXPECT_NE(acceptor.refusal(acceptor.answer(dial)), "");
}

// --- this connection and no other

TEST(ClusterChannel, TheHashIsTheSameAtBothEndsAndOfThisHandshakeAlone) {
  for (const Caller who : kCallers) {
    ClusterPair pair(who);
    EXPECT_EQ(pair.dialler.channel.hash().size(), 32u);
    EXPECT_EQ(pair.dialler.channel.hash(), pair.acceptor.channel.hash());
    EXPECT_EQ(pair.dial.find(pair.dialler.channel.hash()), std::string::npos);
  }
  EXPECT_NE(ClusterPair(Caller::anyone).dialler.channel.hash(),
            ClusterPair(Caller::owner).dialler.channel.hash());
  ClusterEnd dialler = a_dialler(Caller::anyone), acceptor = an_acceptor(cluster_key(), 0x34);
  dialler.answer(acceptor.answer(dialler.channel.start()));
  EXPECT_NE(dialler.channel.hash(), ClusterPair(Caller::anyone).dialler.channel.hash());
}

// Somebody between a client and a daemon, with a handshake of his own on each side, cannot pass on a credential.
TEST(ClusterChannel, TwoHandshakesNeverShareAHash) {
  ClusterEnd client = a_dialler(Caller::anyone), daemon = an_acceptor();
  ClusterEnd to_daemon = a_dialler(Caller::anyone, cluster_key(), 0x44);
  to_daemon.answer(daemon.answer(to_daemon.channel.start()));
  ClusterEnd to_client = an_acceptor(cluster_key(), 0x55);  // even with the key
  client.answer(to_client.answer(client.channel.start()));
  EXPECT_NE(client.channel.hash(), to_daemon.channel.hash());
}

TEST(ClusterChannel, ARecordedConversationIsNoUseAgainstAnother) {
  ClusterPair said;
  ClusterEnd acceptor = an_acceptor(cluster_key(), 0x34);
  EXPECT_EQ(acceptor.refusal(said.dial + said.finish + said.dialler.channel.seal("load")),
            "the caller does not hold the cluster's key");
  EXPECT_THAT(acceptor.payloads, IsEmpty());
  ClusterEnd dialler = a_dialler(Caller::daemon, cluster_key(), 0x23);
  dialler.channel.start();
  EXPECT_EQ(dialler.refusal(said.accept), "what answers does not hold the cluster's key");
}

// --- points of small order (RFC 7748, section 6.1): with these every connection would have the same secret

const std::vector<Seed>& worthless() {
  static const std::vector<Seed> halves = [] {
    std::vector<Seed> all(4);
    all[1][0] = 1;
    const char* const orders_of_8[] = {"e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                                       "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"};
    for (int i = 0; i < 2; ++i)
      sodium_hex2bin(all[2 + i].data(), 32, orders_of_8[i], 64, nullptr, nullptr, nullptr);
    return all;
  }();
  return halves;
}

TEST(ClusterChannel, WorthlessKeysAreRefused) {
  for (const Seed& half : worthless()) {
    std::string call = "\x01";
    call.push_back('\0');
    call.append(cluster::view(half));
    ClusterEnd acceptor = an_acceptor();
    EXPECT_EQ(acceptor.refusal(frame(call)), "a call with a worthless key");
    EXPECT_EQ(acceptor.sent, "");

    ClusterEnd dialler = a_dialler(Caller::daemon);
    dialler.channel.start();
    EXPECT_THAT(dialler.refusal(frame(std::string(cluster::view(half)) + std::string(32, 'p'))),
                HasSubstr("a worthless key"));

    ClusterEnd client(ClusterChannel::dial_as_anyone(half, bytes_of(0x22)));
    ClusterEnd daemon = an_acceptor();
    const std::string start = client.channel.start();
    client.channel.prepare();
    EXPECT_THAT(client.refusal(daemon.answer(start)), HasSubstr("a worthless key"));
  }
}

// --- odd messages in clear

TEST(ClusterChannel, AnotherVersionIsNamed) {
  std::string call(34, '\0');
  for (const char version : {'\0', '\2', '\x7f'}) {
    call[0] = version;
    EXPECT_EQ(an_acceptor().refusal(frame(call)),
              "a call of protocol version " + std::to_string(version) + ", expected 1");
  }
  EXPECT_EQ(an_acceptor().refusal(frame(std::string("\3"))), "a call of protocol version 3, expected 1");
}

TEST(ClusterChannel, AByteMoreOrLessIsRefusedInEveryMessage) {
  const ClusterPair said;
  const auto changed = [](const std::string& whole) {
    const std::string payload = whole.substr(4);
    return std::vector<std::string>{frame(payload + '\0'), frame(payload.substr(0, payload.size() - 1)),
                                    frame(payload + payload), frame(payload.substr(0, 1))};
  };
  for (const auto& bytes : changed(said.dial)) EXPECT_NE(an_acceptor().refusal(bytes), "");
  for (const auto& bytes : changed(said.accept)) {
    ClusterEnd dialler = a_dialler(Caller::daemon);
    dialler.channel.start();
    EXPECT_NE(dialler.refusal(bytes), "");
  }
  for (const auto& bytes : changed(said.finish)) {
    ClusterEnd acceptor = an_acceptor();
    acceptor.answer(said.dial);
    EXPECT_NE(acceptor.refusal(bytes), "");
  }
}

TEST(ClusterChannel, FramesBeforeTheProofAreSmall) {
  EXPECT_EQ(an_acceptor().refusal(std::string("\0\0\1\1", 4)), "a frame of 257 bytes, expected 1 to 256");
  EXPECT_NE(an_acceptor().refusal("\xff\xff\xff\xff"), "");
  EXPECT_NE(an_acceptor().refusal(std::string(4, '\0')), "");
  ClusterEnd acceptor = an_acceptor();
  acceptor.answer(ClusterPair().dial);
  EXPECT_EQ(acceptor.refusal(std::string("\0\0\1\1", 4)), "a frame of 257 bytes, expected 1 to 256");
}

// --- records

TEST(ClusterChannel, TheLargestPayloadPassesAndAByteMoreIsRefused) {
  ClusterPair pair;
  const std::string largest(wire::kFrameLimit - 17, 'x');
  EXPECT_EQ(pair.dialler.channel.most(), largest.size());
  pair.acceptor.answer(pair.dialler.channel.seal(largest));
  EXPECT_THAT(pair.acceptor.payloads, ElementsAre(largest));
  EXPECT_NE(pair.acceptor.refusal(std::string("\0\x10\0\1", 4)), "");
}

TEST(ClusterChannel, AnyoneSendsSmallFramesAndGetsLargeOnes) {
  ClusterPair pair(Caller::anyone);
  EXPECT_EQ(pair.dialler.channel.most(), (1u << 16) - 17);
  pair.acceptor.answer(pair.dialler.channel.seal(std::string(pair.dialler.channel.most(), 'x')));
  EXPECT_EQ(pair.acceptor.payloads.size(), 1u);
  pair.dialler.answer(pair.acceptor.channel.seal(std::string(wire::kFrameLimit - 17, 'x')));
  EXPECT_EQ(pair.acceptor.refusal(std::string("\0\1\0\1", 4)), "a frame of 65537 bytes, expected 1 to 65536");
}

TEST(ClusterChannel, ChangedRecordsAreRefused) {
  const auto refused = [](auto&& change) {
    ClusterPair pair;
    const std::string first = pair.dialler.channel.seal("first"),
                      second = pair.dialler.channel.seal("second");
    EXPECT_NE(pair.acceptor.refusal(change(first, second)), "");
    EXPECT_FALSE(pair.acceptor.channel.open());
    return pair.acceptor.payloads;
  };
  using S = const std::string&;
  EXPECT_THAT(refused([](S a, S b) { return b + a; }), IsEmpty());                    // another order
  EXPECT_THAT(refused([](S, S b) { return b; }), IsEmpty());                          // one left out
  EXPECT_THAT(refused([](S a, S) { return a + a; }), ElementsAre("first"));           // repeated
  EXPECT_THAT(refused([](S a, S) { return frame(a.substr(4) + '\0'); }), IsEmpty());  // a byte appended
  EXPECT_THAT(refused([](S, S) { return frame(std::string(17, 'x')); }), IsEmpty());  // empty
  EXPECT_THAT(refused([](S, S) { return frame("x"); }), IsEmpty());
}

TEST(ClusterChannel, AMirroredRecordIsRefused) {
  ClusterPair pair;
  EXPECT_NE(pair.dialler.refusal(pair.dialler.channel.seal("load")), "");
  ClusterPair other;
  EXPECT_NE(other.acceptor.refusal(other.acceptor.channel.seal("welcome")), "");
}

TEST(ClusterChannel, EveryConnectionHasItsOwnKeys) {
  ClusterPair pair;
  ClusterEnd dialler = a_dialler(Caller::daemon, cluster_key(), 0x23), acceptor = an_acceptor();
  acceptor.answer(dialler.answer(acceptor.answer(dialler.channel.start())));
  EXPECT_NE(pair.dialler.channel.seal("load"), dialler.channel.seal("load"));
  ClusterPair third;
  EXPECT_NE(acceptor.refusal(third.dialler.channel.seal("load")), "");
}

TEST(ClusterChannel, SeedsAreNotTheSameTwice) { EXPECT_NE(random_seed(), random_seed()); }

}  // namespace
}  // namespace rollcall::io
