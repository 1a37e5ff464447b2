// The test vectors of docs/protocol.md are what the code says and takes.
#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "common/io/secure_channel.hpp"
#include "common/wire/task.pb.h"
#include "tests/io/common/channel_ends.hpp"
#include "tests/support/hex.hpp"

namespace rollcall::io {
namespace {

using test::End;

using rollcall::test::from_hex;
using rollcall::test::to_hex;

// The block of the document: "name: digits", where further digits may follow on lines that start with a
// blank.
std::map<std::string, std::string> read_vectors() {
  std::ifstream document(ROLLCALL_PROTOCOL_DOCUMENT);
  if (!document) throw std::runtime_error("cannot open " ROLLCALL_PROTOCOL_DOCUMENT);
  std::map<std::string, std::string> vectors;
  std::string line, name;
  bool inside = false;
  while (std::getline(document, line)) {
    if (line.starts_with("```")) {
      inside = line == "```vectors";
    } else if (inside) {
      const auto colon = line.find(':');
      if (colon != std::string::npos) name = line.substr(0, colon);
      line.erase(0, colon == std::string::npos ? 0 : colon + 1);
      line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
      vectors[name] += line;
    }
  }
  return vectors;
}

template <std::size_t N>
std::array<std::uint8_t, N> array_of(const std::string& bytes) {
  std::array<std::uint8_t, N> out{};
  EXPECT_EQ(bytes.size(), N);
  std::copy_n(bytes.begin(), std::min(N, bytes.size()), out.begin());
  return out;
}

class Vectors : public testing::Test {
 protected:
  const std::string& digits(const std::string& name) {
    const auto found = vectors_.find(name);
    if (found == vectors_.end()) throw std::runtime_error("docs/protocol.md has no vector \"" + name + "\"");
    return found->second;
  }
  std::string bytes(const std::string& name) { return from_hex(digits(name)); }
  Key key() { return array_of<kKeyBytes>(bytes("key")); }
  End starter() {
    return End(SecureChannel::starter(key(), array_of<kNonceBytes>(bytes("starter's nonce"))));
  }
  End pam() {
    return End(SecureChannel::pam(key(), array_of<kNonceBytes>(bytes("pam's nonce")),
                                  array_of<kInstanceBytes>(bytes("instance"))));
  }

  std::map<std::string, std::string> vectors_ = read_vectors();
};

TEST_F(Vectors, TheMessagesAreThoseOfTheText) {
  wire::FromStarter registration, ended;
  registration.mutable_registration()->set_host("n1");
  registration.mutable_registration()->set_starter_pid(300);
  registration.mutable_registration()->set_task_pid(302);
  ended.mutable_task_ended()->set_value(3);
  wire::FromPam welcome;
  welcome.mutable_welcome()->set_tid(0);
  EXPECT_EQ(to_hex(registration.SerializeAsString()), digits("Register"));
  EXPECT_EQ(to_hex(ended.SerializeAsString()), digits("TaskEnded"));
  EXPECT_EQ(to_hex(welcome.SerializeAsString()), digits("Welcome"));
}

TEST_F(Vectors, BothEndsSayTheseBytes) {
  End starter = this->starter(), pam = this->pam();
  const std::string hello = starter.channel.start();
  EXPECT_EQ(to_hex(hello), digits("Hello frame"));
  const std::string challenge = pam.answer(hello);
  EXPECT_EQ(to_hex(challenge), digits("Challenge frame"));
  const std::string proof = starter.answer(challenge);
  EXPECT_EQ(to_hex(proof), digits("Proof frame"));
  pam.answer(proof);
  EXPECT_EQ(to_hex(starter.channel.seal(bytes("Register"))), digits("Register sealed"));
  EXPECT_EQ(to_hex(starter.channel.seal(bytes("TaskEnded"))), digits("TaskEnded sealed"));
  EXPECT_EQ(to_hex(pam.channel.seal(bytes("Welcome"))), digits("Welcome sealed"));
}

TEST_F(Vectors, RelaysOfAPamHaveThisKey) {
  const Key of_relays = relay_key(key(), 4711);
  EXPECT_EQ(to_hex(std::string(of_relays.begin(), of_relays.end())), digits("relay key of port 4711"));
}

TEST_F(Vectors, TheStreamsHaveTheseKeys) {
  const std::string key = bytes("key");
  for (const std::string direction : {"starter to pam", "pam to starter"}) {
    const std::string input =
        "rollcall " + direction + " v1" + bytes("starter's nonce") + bytes("pam's nonce") + bytes("instance");
    std::string derived(kKeyBytes, '\0');
    crypto_generichash(reinterpret_cast<unsigned char*>(derived.data()), derived.size(),
                       reinterpret_cast<const unsigned char*>(input.data()), input.size(),
                       reinterpret_cast<const unsigned char*>(key.data()), key.size());
    EXPECT_EQ(to_hex(derived), digits("key " + direction));
  }
}

TEST_F(Vectors, BothEndsTakeTheseBytes) {
  End starter = this->starter(), pam = this->pam();
  starter.channel.start();
  starter.answer(bytes("Challenge frame"));
  starter.answer(bytes("Welcome sealed"));
  EXPECT_EQ(starter.payloads, std::vector<std::string>{bytes("Welcome")});
  pam.answer(bytes("Hello frame"));
  pam.answer(bytes("Proof frame") + bytes("Register sealed") + bytes("TaskEnded sealed"));
  EXPECT_EQ(pam.payloads, (std::vector<std::string>{bytes("Register"), bytes("TaskEnded")}));
}

}  // namespace
}  // namespace rollcall::io
