// Fuzzes both ends of the secure channel, before and after the handshake. Keys and nonces are those of the
// test vectors in docs/protocol.md, so the corpus holds a good conversation; whatever is done to it, no end
// gives out a payload that the other did not say, nor one out of turn.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/secure_channel.hpp"
#include "tests/fuzz/common/channel_input.hpp"

namespace {

using namespace rollcall::io;
using rollcall::Result;
using rollcall::fuzz::counting_from;

const std::vector<std::string> kFromStarter = {std::string("\x0a\x0a\x0a\x02n1\x10\xac\x02\x58\xae\x02", 12),
                                               std::string("\x22\x02\x10\x03", 4)};
const std::vector<std::string> kFromPam = {std::string("\x0a\x00", 2)};

template <std::size_t N>
using Bytes = std::array<std::uint8_t, N>;

SecureChannel a_starter() {
  return SecureChannel::starter(counting_from<Bytes<32>>(0), counting_from<Bytes<32>>(32));
}
SecureChannel a_pam() {
  return SecureChannel::pam(counting_from<Bytes<32>>(0), counting_from<Bytes<32>>(64),
                            counting_from<Bytes<16>>(96));
}

// A stranger gets no more than one Challenge.
void feed(SecureChannel& end, std::string_view bytes, std::size_t cut, const std::vector<std::string>& said) {
  rollcall::fuzz::feed(end, bytes, cut, said, 200);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0];
  const auto ignored = [](std::string_view) -> Result<void> { return {}; };

  SecureChannel fresh_pam = a_pam(), waiting_starter = a_starter();
  const std::string hello = waiting_starter.start();
  feed(fresh_pam, bytes, cut, kFromStarter);
  feed(waiting_starter, bytes, cut, kFromPam);

  SecureChannel pam = a_pam(), starter = a_starter();
  starter.start();
  std::string challenge, proof, none;
  if (!pam.feed(hello, challenge, ignored) || !starter.feed(challenge, proof, ignored)) std::abort();
  SecureChannel waiting_pam = a_pam();
  if (!waiting_pam.feed(hello, none, ignored)) std::abort();
  feed(waiting_pam, bytes, cut, kFromStarter);
  if (!pam.feed(proof, none, ignored) || !pam.open() || !starter.open()) std::abort();
  feed(pam, bytes, cut, kFromStarter);
  feed(starter, bytes, cut, kFromPam);
  return 0;
}
