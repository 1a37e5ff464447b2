// SecureChannel: every row of its header's table, and attacks on the wire.
#include "common/io/secure_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <cstring>
#include <string>
#include <vector>

#include "common/wire/frame.hpp"
#include "common/wire/task.pb.h"
#include "tests/io/common/channel_ends.hpp"

namespace rollcall::io {
namespace {

using test::End;
using test::filled;
using test::frame;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Key kKey = filled<kKeyBytes>(0x11);
const Nonce kStarterNonce = filled<kNonceBytes>(0x22);
const Nonce kPamNonce = filled<kNonceBytes>(0x33);
const Instance kInstance = filled<kInstanceBytes>(0x44);

End a_starter(const Key& key = kKey) { return End(SecureChannel::starter(key, kStarterNonce)); }
End a_pam(const Key& key = kKey) { return End(SecureChannel::pam(key, kPamNonce, kInstance)); }

// Both ends, open.
struct Pair {
  End starter = a_starter();
  End pam = a_pam();
  std::string hello, challenge, proof;

  Pair() {
    hello = starter.channel.start();
    challenge = pam.answer(hello);
    proof = starter.answer(challenge);
    pam.answer(proof);
  }
};

// --- the table, row by row
// -----------------------------------------------------------------------------------

TEST(SecureChannel, OpensOnBothEnds) {
  End starter = a_starter(), pam = a_pam();
  const std::string challenge = pam.answer(starter.channel.start());
  EXPECT_FALSE(pam.channel.open());
  EXPECT_FALSE(starter.channel.open());
  const std::string proof = starter.answer(challenge);
  EXPECT_TRUE(starter.channel.open());
  EXPECT_FALSE(pam.channel.open());
  EXPECT_EQ(pam.answer(proof), "");
  EXPECT_TRUE(pam.channel.open());
}

TEST(SecureChannel, CarriesPayloadsBothWays) {
  Pair pair;
  pair.pam.answer(pair.starter.channel.seal("registration"));
  pair.pam.answer(pair.starter.channel.seal("the end"));
  pair.starter.answer(pair.pam.channel.seal("welcome"));
  EXPECT_THAT(pair.pam.payloads, ElementsAre("registration", "the end"));
  EXPECT_THAT(pair.starter.payloads, ElementsAre("welcome"));
}

TEST(SecureChannel, TakesTheProofAndTheFirstRecordsInOneRead) {
  End starter = a_starter(), pam = a_pam();
  std::string flight = starter.answer(pam.answer(starter.channel.start()));
  flight += starter.channel.seal("registration");
  flight += starter.channel.seal(std::string(5000, 'x'));
  pam.answer(flight);
  EXPECT_THAT(pam.payloads, ElementsAre("registration", std::string(5000, 'x')));
}

TEST(SecureChannel, TheSinkMayAnswer) {
  Pair pair;
  std::string out, reply;
  const auto fed = pair.pam.channel.feed(pair.starter.channel.seal("registration"), out,
                                         [&](std::string_view) -> Result<void> {
                                           reply = pair.pam.channel.seal("welcome");
                                           return {};
                                         });
  ASSERT_TRUE(fed);
  pair.starter.answer(reply);
  EXPECT_THAT(pair.starter.payloads, ElementsAre("welcome"));
}

TEST(SecureChannel, AFreshStarterTakesNothing) {
  Pair recorded;
  for (const std::string& bytes : {recorded.hello, recorded.challenge, recorded.proof})
    EXPECT_NE(a_starter().refusal(bytes), "");
}

TEST(SecureChannel, AFreshPamTakesOnlyAHello) {
  Pair recorded;
  const std::string record = recorded.starter.channel.seal("registration");
  for (const std::string& bytes : {recorded.challenge, recorded.proof, record})
    EXPECT_NE(a_pam().refusal(bytes), "");
}

TEST(SecureChannel, AStarterThatAwaitsAChallengeTakesNothingElse) {
  Pair recorded;
  const std::string record = recorded.pam.channel.seal("welcome");
  for (const std::string& bytes : {recorded.hello, recorded.proof, record}) {
    End starter = a_starter();
    starter.channel.start();
    EXPECT_NE(starter.refusal(bytes), "");
    EXPECT_FALSE(starter.channel.open());
  }
}

TEST(SecureChannel, APamThatAwaitsAProofTakesNothingElse) {
  Pair recorded;
  const std::string record = recorded.starter.channel.seal("registration");
  for (const std::string& bytes : {recorded.hello, recorded.challenge, record}) {
    End pam = a_pam();
    pam.answer(recorded.hello);
    EXPECT_NE(pam.refusal(bytes), "");
    EXPECT_FALSE(pam.channel.open());
  }
}

TEST(SecureChannel, AnOpenOneTakesOnlyRecords) {
  Pair recorded;
  for (const std::string& bytes : {recorded.hello, recorded.challenge, recorded.proof}) {
    Pair pair;
    EXPECT_NE(pair.pam.refusal(bytes), "");
    EXPECT_NE(pair.starter.refusal(bytes), "");
  }
}

TEST(SecureChannel, AnErrorIsFinal) {
  Pair pair;
  const std::string good = pair.starter.channel.seal("registration");
  EXPECT_NE(pair.pam.refusal(frame("garbage that is long enough")), "");
  EXPECT_FALSE(pair.pam.channel.open());
  EXPECT_NE(pair.pam.refusal(good), "");
  EXPECT_THAT(pair.pam.payloads, IsEmpty());
}

TEST(SecureChannel, TheSinksErrorIsPassedOnAndFinal) {
  Pair pair;
  std::string out;
  const auto fed = pair.pam.channel.feed(pair.starter.channel.seal("x"), out, [](std::string_view) {
    return Result<void>(internal_error("no such message"));
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().text, "no such message");
  EXPECT_FALSE(pair.pam.channel.open());
}

TEST(SecureChannel, ItCanBeMoved) {
  Pair pair;
  SecureChannel moved = std::move(pair.pam.channel);
  pair.starter.answer(moved.seal("welcome"));
  EXPECT_THAT(pair.starter.payloads, ElementsAre("welcome"));
}

// --- who is there
// --------------------------------------------------------------------------------------------

TEST(SecureChannel, TheStarterLearnsWhichPamItIs) {
  Pair first;
  EXPECT_EQ(first.starter.channel.peer_instance(), kInstance);
  End starter = a_starter();
  End other(SecureChannel::pam(kKey, kPamNonce, filled<kInstanceBytes>(0x45)));
  starter.answer(other.answer(starter.channel.start()));
  EXPECT_NE(starter.channel.peer_instance(), kInstance);
}

TEST(SecureChannel, AnInstanceCannotBeClaimedForAnother) {
  End starter = a_starter(), pam = a_pam();
  std::string challenge = pam.answer(starter.channel.start());
  wire::Challenge forged;
  ASSERT_TRUE(forged.ParseFromString(challenge.substr(4)));
  forged.set_instance(std::string(kInstanceBytes, 'x'));
  EXPECT_THAT(starter.refusal(frame(forged.SerializeAsString())), HasSubstr("pam does not hold our key"));
}

TEST(SecureChannel, APamWithAnotherKeyIsRefused) {
  End starter = a_starter(), pam = a_pam(filled<kKeyBytes>(0x12));
  EXPECT_EQ(starter.refusal(pam.answer(starter.channel.start())), "pam does not hold our key");
  EXPECT_EQ(starter.sent, "");
}

TEST(SecureChannel, AStarterWithAnotherKeyIsRefused) {
  End starter = a_starter(), pam = a_pam();
  pam.answer(starter.channel.start());
  wire::Proof wrong;
  wrong.set_proof(std::string(32, 'p'));
  EXPECT_EQ(pam.refusal(frame(wrong.SerializeAsString())), "the starter does not hold our key");
}

TEST(SecureChannel, PamsOwnProofIsNotTheStarters) {
  End starter = a_starter(), pam = a_pam();
  wire::Challenge challenge;
  ASSERT_TRUE(challenge.ParseFromString(pam.answer(starter.channel.start()).substr(4)));
  wire::Proof mirrored;
  mirrored.set_proof(challenge.proof());
  EXPECT_EQ(pam.refusal(frame(mirrored.SerializeAsString())), "the starter does not hold our key");
}

// --- odd messages in clear
// -----------------------------------------------------------------------------------

wire::Hello hello(std::uint32_t version, std::size_t nonce_bytes) {
  wire::Hello message;
  message.set_version(version);
  message.set_nonce(std::string(nonce_bytes, 'n'));
  return message;
}

TEST(SecureChannel, ANewerVersionIsNamed) {
  EXPECT_EQ(a_pam().refusal(frame(hello(2, 40).SerializeAsString())),
            "a Hello of protocol version 2, expected 1");
}

TEST(SecureChannel, NoncesOfWrongSizesAreRefused) {
  for (const std::size_t size : {0u, 1u, 31u, 33u, 100u})
    EXPECT_NE(a_pam().refusal(frame(hello(1, size).SerializeAsString())), "") << size;
}

TEST(SecureChannel, ProofsOfWrongSizesAreRefused) {
  for (const std::size_t size : {0u, 1u, 31u, 33u, 200u}) {
    End pam = a_pam();
    pam.answer(frame(hello(1, 32).SerializeAsString()));
    wire::Proof proof;
    proof.set_proof(std::string(size, 'p'));
    // An empty message is a frame of nothing; it is sent as one byte of nonsense.
    const std::string bytes = proof.SerializeAsString();
    EXPECT_NE(pam.refusal(frame(bytes.empty() ? "\x08" : bytes)), "") << size;
  }
}

TEST(SecureChannel, BytesAfterAMessageInClearAreRefused) {
  Pair recorded;
  for (const std::string& more : {std::string(1, '\0'), std::string("\x50\x01", 2), std::string(20, 'x')})
    EXPECT_NE(a_pam().refusal(frame(recorded.hello.substr(4) + more)), "");
  End starter = a_starter();
  starter.channel.start();
  EXPECT_NE(starter.refusal(frame(recorded.challenge.substr(4) + std::string("\x50\x01", 2))), "");
}

TEST(SecureChannel, FramesBeforeTheProofAreSmall) {
  EXPECT_EQ(a_pam().refusal(std::string("\0\0\1\1", 4)), "a frame of 257 bytes, expected 1 to 256");
}

TEST(SecureChannel, FourGibibytesAreRefusedAtOnce) {
  EXPECT_NE(a_pam().refusal("\xff\xff\xff\xff"), "");
  Pair pair;
  EXPECT_NE(pair.pam.refusal("\xff\xff\xff\xff"), "");
}

// --- records
// -------------------------------------------------------------------------------------------------

TEST(SecureChannel, TheLargestPayloadPassesAndAByteMoreIsRefused) {
  Pair pair;
  const std::string largest(wire::kFrameLimit - 17, 'x');
  pair.pam.answer(pair.starter.channel.seal(largest));
  EXPECT_THAT(pair.pam.payloads, ElementsAre(largest));
  EXPECT_NE(pair.pam.refusal(std::string("\0\x10\0\1", 4)), "");
}

TEST(SecureChannel, AByteAfterARecordIsRefused) {
  Pair pair;
  const std::string record = pair.starter.channel.seal("registration").substr(4);
  EXPECT_NE(pair.pam.refusal(frame(record + '\0')), "");
}

TEST(SecureChannel, AnEmptyRecordIsRefused) {
  Pair pair;
  EXPECT_NE(pair.pam.refusal(frame(std::string(17, 'x'))), "");
  EXPECT_NE(Pair().pam.refusal(frame("x")), "");
}

TEST(SecureChannel, ARepeatedRecordIsRefused) {
  Pair pair;
  const std::string record = pair.starter.channel.seal("registration");
  pair.pam.answer(record);
  EXPECT_NE(pair.pam.refusal(record), "");
  EXPECT_EQ(pair.pam.payloads.size(), 1u);
}

TEST(SecureChannel, RecordsInAnotherOrderAreRefused) {
  Pair pair;
  const std::string first = pair.starter.channel.seal("first");
  const std::string second = pair.starter.channel.seal("second");
  EXPECT_NE(pair.pam.refusal(second + first), "");
  EXPECT_THAT(pair.pam.payloads, IsEmpty());
}

TEST(SecureChannel, AMirroredRecordIsRefused) {
  Pair pair;
  EXPECT_NE(pair.starter.refusal(pair.starter.channel.seal("registration")), "");
}

// A stream of the library's own, with the key that docs/protocol.md derives: what a peer with the key but not
// our habits could send.
crypto_secretstream_xchacha20poly1305_state starters_stream() {
  std::string bytes = "rollcall starter to pam v1";
  bytes.append(kNonceBytes, 0x22).append(kNonceBytes, 0x33).append(kInstanceBytes, 0x44);
  unsigned char key[32];
  crypto_generichash(key, sizeof key, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     kKey.data(), kKey.size());
  const unsigned char header[crypto_secretstream_xchacha20poly1305_HEADERBYTES] = {};
  crypto_secretstream_xchacha20poly1305_state stream;
  crypto_secretstream_xchacha20poly1305_init_pull(&stream, header, key);
  return stream;
}

TEST(SecureChannel, OnlyPlainMessagesAreAcceptedNoOtherTag) {
  for (const int tag : {0, 1, 2, 3, 7}) {
    Pair pair;
    auto stream = starters_stream();
    std::string record(4 + 17, '\0');
    crypto_secretstream_xchacha20poly1305_push(&stream, reinterpret_cast<unsigned char*>(record.data()),
                                               nullptr, reinterpret_cast<const unsigned char*>("four"), 4,
                                               nullptr, 0, static_cast<unsigned char>(tag));
    if (tag == 0) {
      pair.pam.answer(frame(record));
      EXPECT_THAT(pair.pam.payloads, ElementsAre("four"));
    } else {
      EXPECT_NE(pair.pam.refusal(frame(record)), "") << "tag " << tag;
      EXPECT_THAT(pair.pam.payloads, IsEmpty());
    }
  }
}

TEST(SecureChannel, TheLibraryMakesPushingAndPullingStatesAlike) {
  ASSERT_GE(sodium_init(), 0);
  crypto_secretstream_xchacha20poly1305_state pushing{}, pulling{};
  unsigned char header[crypto_secretstream_xchacha20poly1305_HEADERBYTES];
  crypto_secretstream_xchacha20poly1305_init_push(&pushing, header, kKey.data());
  crypto_secretstream_xchacha20poly1305_init_pull(&pulling, header, kKey.data());
  EXPECT_EQ(std::memcmp(&pushing, &pulling, sizeof pushing), 0);
}

TEST(SecureChannel, RandomIsNotTheSameTwice) {
  EXPECT_NE(random_nonce(), random_nonce());
  EXPECT_NE(random_instance(), random_instance());
}

}  // namespace
}  // namespace rollcall::io
