// Peer: who is at the other end of this pam's port. Data of Starters alone, which owns and decides.
//
// A peer is one TCP connection: of a TaskStarter, or of the relay of a host (a job's shepherd, or a process that a TaskStarter has
// started), which speaks for many TaskStarters (common/wire/relay_items.hpp). Both prove themselves, by the user's key and by the one
// that is made from it for relays; what a relay says of its tasks is then believed as if each had said it, since the relay is the
// same user.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/base/connection_shares.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/relay_items.hpp"
#include "pam/policy/connections.hpp"

namespace rollcall::pam {

struct Peer {
  Peer(boost::asio::ip::tcp::socket s, PeerId i) : socket(std::move(s)), id(i) {}
  boost::asio::ip::tcp::socket socket;
  PeerId id;
  std::string first;                        // what came before it was known who it is
  std::string holder;                       // whose connection it is (common/base/connection_shares.hpp)
  std::optional<io::SecureChannel> secure;  // once that is known
  bool answered = false;                    // what it sent first was a Hello, or a relay's
  bool proved = false;                      // that it holds the key
  bool is_relay = false;
  std::vector<bool> tasks;  // of a relay: which are not ended; number 1 is the first
  std::size_t unended = 0;  // of these: the relay has not told their end
  std::string address;      // of a relay: the peer's, as text
  std::string items;        // for a relay, to be sealed
  std::string unsent;
  boost::system::error_code write_error;  // a failed write takes the socket's error with it
  bool waits_to_write = false;
  bool held = false;  // it is flushed when all that is to be sent now has been put

  bool has_task(wire::TaskNumber number) const {
    return number >= 1 && number <= tasks.size() && tasks[number - 1];
  }
};

// How many descriptors this process may have at the most: pam raises its soft limit to the hard one.
std::size_t most_descriptors();
// Peers that have not proved themselves: half of them, and a quarter for one user of this host or one address.
ConnectionShares::Limits most_strangers(std::size_t descriptors);

// Which kind of peer has begun so. A TaskStarter's first frame has another length than a relay's.
enum class First { unfinished, starter, relay, stranger };
First first_of(const std::string& bytes);
// How long a relay's first frame is.
std::size_t relays_hello_size();

// The tasks of a peer from `first` on that a message for `ids[at]` and what follows it there goes to: the last of them. `ids` ascend;
// `at` becomes the place behind what was taken. A task that has ended may be among them, another may not.
wire::TaskNumber last_of_several(const Peer& peer, const std::vector<ConnectionId>& ids, std::size_t& at);

}  // namespace rollcall::pam
