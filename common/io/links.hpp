// Links: the connections of a daemon: those it accepts on its port and those it dials to other daemons.
//
// Owns the listening socket, every connection, the handshakes and their time limit, and the order of frames. It keeps one peer
// from hurting the others: time limits for the proof and between requests of unknown users, a share of such strangers for each
// user of this host and each address (connection_shares.hpp), a limit of unsent bytes, one request of a client for each turn. It
// does not know the messages: payloads go in and out. One loop, one thread.
//
// A connection is a stranger from its acceptance until it proves that it is a daemon's or holds the cluster's key, or until
// identified() names its user, or established() says that it serves. Links of our own cluster's daemons are never closed for lack of
// room; those of another peer have a stranger's limits until they are established, and one buffer is read of them at a time.
//
// state x event (of one link)    |
//   dialling      connected -> proving; refused, silent: ended
//   proving       proved    -> open (`opened`); anything else: ended; time over: ended
//   open          payload   -> `message`; an error of it, a closed or broken connection: ended
//   any           close()   -> gone, without a word to the handler
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/connection_shares.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/io/cluster_channel.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

using LinkId = std::uint64_t;  // grows; never used again

struct LinkLimits {
  Duration time_to_prove = std::chrono::seconds(2);  // from the connection to the last byte of the handshake
  Duration dial_patience = std::chrono::seconds(2);  // for the name, and for each address
  Duration stall = std::chrono::seconds(15);         // a peer that takes no bytes for so long is not reading
  Duration idle =
      std::chrono::seconds(10);  // of a stranger, from its handshake to its request and after each answer
  std::size_t strangers = 4096;  // connections of all strangers
  std::size_t share = 1024;      // of them, of one user of this host or one address
  std::size_t clients =
      4096;  // identified ones; beyond it the client with most loses the link idle for longest
  std::size_t unsent = 1 << 20;  // bytes for a daemon; a client is answered as it reads
};

// Limits for a process with this many descriptors: a quarter for strangers, half for identified clients, the rest for daemons and
// files.
LinkLimits fitted(LinkLimits limits, std::size_t descriptors);

// How a link ended by itself.
enum class LinkEnd {
  refused,   // dialled: the host answers, and nobody listens there
  silent,    // dialled: no answer, or no proof in time
  stranger,  // dialled: the answerer is no daemon of this cluster
  closed,    // the peer closed it, or its process ended
  cut,       // the network broke
  offended,  // closed by us: the peer broke the protocol, or did not read
};

struct LinkPeer {
  bool dialled = false;  // by us: then it is a daemon of the cluster
  // What the peer has proved. Only `daemon` is of our own cluster.
  ClusterChannel::Caller caller = ClusterChannel::Caller::daemon;
  std::string peer;  // whose daemon it is, where `caller` is `peer`
  std::string hash;  // of the handshake, for credentials
  std::string address;
  std::string holder;  // of an accepted one: who shares limits with whom (connection_shares.hpp)
  TicketId ticket{};   // of a caller who came with one
};

class Links {
 public:
  struct Handler {
    std::function<void(LinkId, const LinkPeer&)> opened;
    // May call send and close. An error ends the link and is logged.
    std::function<Result<void>(LinkId, std::string_view payload)> message;
    std::function<void(LinkId, LinkEnd, const std::string& why)> ended;
    std::function<void(const std::string&)>
        say;                        // a line for the log; strangers are told once for each address
    TicketDesk* tickets = nullptr;  // accepts tickets of returning clients; none: refuses tickets
    std::function<ConnectionHolder(int socket)>
        holder{};  // for tests; none: as the kernel says (peer_holder.hpp)
    // All bytes to a daemon have left after a delay: unsent() is 0.
    std::function<void(LinkId)> drained{};
  };
  // Makes the payloads of one answer, each when there is room for it; none after the last. A call makes a bounded piece, a
  // millisecond's work or two, and the loop does other work in between.
  using Source = std::function<std::optional<std::string>()>;

  // Dials with the first key, and accepts with all.
  Links(boost::asio::io_context& loop, PeerKeys keys, const LinkLimits& limits, Handler handler);
  ~Links();

  // Every address of this host, port 0: one the kernel chooses. Gives the port; the error names port and reason.
  Result<std::uint16_t> listen(std::uint16_t port);

  // The outcome is `opened` or `ended`, never before this returns. `host`: a name or an address.
  LinkId dial(const std::string& host, std::uint16_t port);
  // The same to the daemon of a peer; `key` is that of our calls to it.
  LinkId dial_peer(const std::string& host, std::uint16_t port, const PeerKey& key);

  // Does nothing where the link is not open. Unsent bytes are kept up to the limit.
  void send(LinkId link, std::string_view payload);
  // A client's answer of any length. Its next request is read when this is done.
  void answer(LinkId link, Source source);
  // The answer to a client comes later, by send() or answer(). Until then its next request is not read, nor is its end noticed.
  // The caller must see to it that an answer comes.
  void promise(LinkId link);
  // The client is known to be this user: it is no stranger any more, and may be idle.
  void identified(LinkId link, unsigned uid);
  // The peer's connection serves: it is no stranger any more, and may be silent.
  void established(LinkId link);
  // Unsent bytes: a daemon that makes an answer piece by piece waits until there are none.
  std::size_t unsent(LinkId link) const;
  void close(LinkId link);
  // Closes when everything was sent; the handler is not told.
  void close_when_sent(LinkId link);

  // Stops listening and closes every link; the handler is not told.
  void shut_down();
  std::size_t open_links() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
