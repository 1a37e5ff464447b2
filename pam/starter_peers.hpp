// Peer and Connection: who is at the other end of this pam's port. Data of Starters alone, which owns and decides.
//
// A peer is one TCP connection: of a TaskStarter, or of the shepherd of a host of the job, which carries many TaskStarters, each in a
// channel (common/wire/channels.hpp). A connection is the conversation of one TaskStarter, either way. A shepherd holds no key: it cannot
// read a conversation, and its own claims do not count.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <map>
#include <memory>
#include <string>

#include "common/io/secure_channel.hpp"
#include "common/wire/channels.hpp"
#include "pam/policy/roll_events.hpp"

namespace rollcall::pam {

struct Peer {
  Peer(boost::asio::ip::tcp::socket s, ConnectionId i) : socket(std::move(s)), id(i) {}
  boost::asio::ip::tcp::socket socket;
  ConnectionId id;    // of a TaskStarter: its connection's
  std::string first;  // what came before it was known who it is
  bool known = false;
  bool answered = false;  // what it sent first was a Hello
  std::string unsent;
  boost::system::error_code write_error;  // a failed write takes the socket's error with it
  bool waits_to_write = false;
  bool held = false;                         // it is flushed when all that is to be sent now has been put
  std::unique_ptr<wire::Channels> channels;  // of a shepherd
  std::map<wire::ChannelId, ConnectionId> connections;
};

struct Connection {
  Connection(ConnectionId i, std::shared_ptr<Peer> p, io::SecureChannel s)
      : id(i), peer(std::move(p)), secure(std::move(s)) {}
  ConnectionId id;
  std::shared_ptr<Peer> peer;
  wire::ChannelId channel = 0;  // in the peer; 0: the peer is it
  io::SecureChannel secure;
};

// Which kind of peer has begun so. A TaskStarter's first frame has another length than a shepherd's.
enum class First { unfinished, starter, shepherd, stranger };
First first_of(const std::string& bytes);
// How long a shepherd's first frame is.
std::size_t shepherds_hello_size();

}  // namespace rollcall::pam
