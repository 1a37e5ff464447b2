#include "pam/starter_peers.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "common/io/wait_answer.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::pam {
namespace {

const std::string& relays_hello() {
  static const std::string hello = [] {
    std::string frame;
    wire::append_frame(frame, wire::kRelayHello);
    return frame;
  }();
  return hello;
}

// The length of a relay's first frame in releases before this one.
constexpr std::string_view kOldHelloLength{"\0\0\0\x14", 4};

}  // namespace

std::size_t most_descriptors() {
  constexpr std::size_t kLeast = 128;
  constexpr std::size_t kWhereUnknown = 8192;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kWhereUnknown;
  return std::max<std::size_t>(kLeast, limit.rlim_max);
}

ConnectionShares::Limits most_strangers(std::size_t descriptors) {
  return {descriptors / 2, descriptors / 4};
}

std::size_t relays_hello_size() { return relays_hello().size(); }

First first_of(const std::string& bytes) {
  constexpr std::size_t kLengthBytes = 4;
  const std::string& hello = relays_hello();
  if (bytes.size() < kLengthBytes) return First::unfinished;
  if (bytes.starts_with(kOldHelloLength)) return First::stranger;
  if (io::begins_hello(bytes)) return First::unfinished;
  if (bytes.compare(0, kLengthBytes, hello, 0, kLengthBytes) != 0) return First::starter;
  if (bytes.compare(0, hello.size(), hello, 0, bytes.size()) != 0) return First::stranger;
  return bytes.size() < hello.size() ? First::unfinished : First::relay;
}

wire::TaskNumber last_of_several(const Peer& peer, const std::vector<ConnectionId>& ids, std::size_t& at) {
  wire::TaskNumber last = number_of(ids[at++]);
  for (; at < ids.size() && peer_of(ids[at]) == peer.id; ++at) {
    const wire::TaskNumber next = number_of(ids[at]);
    if (!peer.has_task(next)) continue;
    wire::TaskNumber between = last + 1;
    while (between < next && !peer.has_task(between)) ++between;
    if (between < next) break;
    last = next;
  }
  return last;
}

}  // namespace rollcall::pam
