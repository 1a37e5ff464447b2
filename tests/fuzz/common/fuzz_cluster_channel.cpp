// Fuzzes both ends of a cluster's channel, before and after the handshake. Secret and scalars are those of the test
// vectors in docs/protocol.md, so the corpus holds good conversations; whatever is done to them, no end gives out a
// payload that the other did not say, nor one out of turn, and nobody is taken for more than was proved.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_keys.hpp"
#include "tests/fuzz/common/channel_input.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace rollcall::io;
using rollcall::Result;
using rollcall::fuzz::counting_from;

const std::vector<std::string> kToLim = {std::string("\x0a\x04\x0a\x02n1", 6), std::string("\x1a\x00", 2)};
const std::vector<std::string> kFromLim = {std::string("\x0a\x06\x0a\x02n2\x18\x01", 8)};

const ClusterKey& key() {
  static const ClusterKey made{counting_from<Seed>(0),
                               cluster::public_half(cluster::exchange_scalar(counting_from<Seed>(0)))};
  return made;
}

const ClusterKey& east() {
  static const ClusterKey made{counting_from<Seed>(96),
                               cluster::public_half(cluster::exchange_scalar(counting_from<Seed>(96)))};
  return made;
}

const PeerKeys& several_keys() {
  static const PeerKeys made = [] {
    PeerKeys keys(key());
    rollcall::fuzz::require(static_cast<bool>(keys.add({"east", east()})));
    return keys;
  }();
  return made;
}

ClusterChannel a_dialler() { return ClusterChannel::dial_as_daemon(key(), counting_from<Seed>(32)); }
ClusterChannel an_acceptor() { return ClusterChannel::accept(key(), counting_from<Seed>(64)); }

// A stranger gets no more than one Accept.
void feed(ClusterChannel& end, std::string_view bytes, std::size_t cut,
          const std::vector<std::string>& said) {
  rollcall::fuzz::feed(end, bytes, cut, said, 68);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0];
  const auto ignored = [](std::string_view) -> Result<void> { return {}; };

  ClusterChannel fresh_acceptor = an_acceptor(), waiting_dialler = a_dialler();
  const std::string dial = waiting_dialler.start();
  feed(fresh_acceptor, bytes, cut, kToLim);
  feed(waiting_dialler, bytes, cut, kFromLim);
  ClusterChannel of_several = ClusterChannel::accept(several_keys(), counting_from<Seed>(64));
  feed(of_several, bytes, cut, kToLim);

  ClusterChannel acceptor = an_acceptor(), dialler = a_dialler();
  dialler.start();
  std::string accept, finish, none;
  if (!acceptor.feed(dial, accept, ignored) || !dialler.feed(accept, finish, ignored)) std::abort();
  ClusterChannel waiting_acceptor = an_acceptor();
  if (!waiting_acceptor.feed(dial, none, ignored)) std::abort();
  feed(waiting_acceptor, bytes, cut, kToLim);
  if (waiting_acceptor.open() && waiting_acceptor.caller() != ClusterChannel::Caller::daemon) std::abort();
  if (!acceptor.feed(finish, none, ignored) || !acceptor.open() || !dialler.open()) std::abort();
  feed(acceptor, bytes, cut, kToLim);
  feed(dialler, bytes, cut, kFromLim);
  return 0;
}
