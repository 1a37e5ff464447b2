// Link: one connection of a daemon: its socket, its channel, and the queues in both directions. Links owns it and decides.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "common/io/links.hpp"

namespace rollcall::io {

using SteadyTime = std::chrono::steady_clock::time_point;

enum class Sent { all, some, failed };

struct Link {
  Link(boost::asio::ip::tcp::socket s, LinkId i, ClusterChannel c)
      : socket(std::move(s)), id(i), channel(std::move(c)) {}

  bool client() const { return peer.caller != ClusterChannel::Caller::daemon && !of_peer(); }
  bool of_peer() const { return peer.caller == ClusterChannel::Caller::peer; }
  // A client is read again only after its answer has left, so that it cannot ask faster than it reads.
  bool owes() const { return !unsent.empty() || source || promised; }
  // The handshake is over: notes what it has proved.
  void proved();
  // True when the next part of the answer may be made: few unsent bytes are left.
  bool has_room() const;
  // Makes it.
  void make_part();
  // Writes as much as the socket takes.
  Sent write();
  // After a failed write: drops what is unsent.
  void drop_unsent();

  boost::asio::ip::tcp::socket socket;
  LinkId id;
  ClusterChannel channel;
  LinkPeer peer;
  ConnectionHolder holder;  // of one that was accepted
  std::string unsent;
  std::size_t sent = 0;           // bytes of `unsent` that have left
  Links::Source source;           // of the answer under way
  std::deque<std::string> inbox;  // requests of a client that came with the one being answered
  std::size_t since_payload = 0;  // bytes read since the last whole payload
  SteadyTime last_progress{};     // of writing; for a client also of reading
  bool opened = false;
  bool waits_for_part = false;  // AnswerPump's
  bool promised = false;        // the answer to its last request is still being made
  bool waits_to_read = false;
  bool waits_to_write = false;
  bool closing = false;  // when everything was sent
  boost::system::error_code write_error;
};

// A link of ours to a daemon of our own cluster, or of the peer where there is one.
std::shared_ptr<Link> dialled_link(boost::asio::ip::tcp::socket socket, LinkId id, const ClusterKey& own,
                                   const std::optional<PeerKey>& peer);

// How many descriptors this process may have open.
std::size_t most_descriptors();

}  // namespace rollcall::io
