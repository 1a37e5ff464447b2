// Links: the connections of a daemon: those it accepts on its port and those it dials to other daemons.
//
// Owns the listening socket, every connection, the handshakes with their time limit, the frames' order, and what keeps
// one peer from hurting the others: a time to prove itself, a time between the requests of a client whose user is not known, a
// share of such strangers for each user of this host and each address (connection_shares.hpp), a limit for what is unsent, a turn
// for each client. It does not know what the messages mean: payloads go in and out. One loop, one thread.
//
// A connection is a stranger from when it is accepted until it has proved that it is a daemon's or holds the cluster's key, or
// until identified() says whose it is. Daemons of our own cluster are never closed for want of room; those of another peer are bounded as
// clients are.
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
  Duration stall = std::chrono::seconds(15);         // a peer that takes nothing for so long is not reading
  Duration idle =
      std::chrono::seconds(10);  // of a stranger, from its handshake to its request and after each answer
  std::size_t strangers = 4096;  // connections of all strangers
  std::size_t share = 1024;      // of them, of one user of this host or one address
  std::size_t clients =
      4096;  // identified ones; beyond it whoever has most loses the one that was idle for longest
  std::size_t unsent = 1 << 20;  // bytes for a daemon; a client is answered as it reads
};

// The limits that a process with so many descriptors can keep: a quarter for strangers, half for identified clients, and the rest
// for daemons and files.
LinkLimits fitted(LinkLimits limits, std::size_t descriptors);

// How a link ended by itself.
enum class LinkEnd {
  refused,   // dialled: the host answers, and nobody listens there
  silent,    // dialled: no answer, or no proof in time
  stranger,  // dialled: what answered is no daemon of this cluster
  closed,    // the peer closed it, or its process ended
  cut,       // the network did
  offended,  // we closed it for what the peer sent, or did not take
};

struct LinkPeer {
  bool dialled = false;  // by us: then it is a daemon of the cluster
  // What it has proved to be. Only `daemon` is one of our own cluster.
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
    // May call send and close. An error ends the link, and its text is logged.
    std::function<Result<void>(LinkId, std::string_view payload)> message;
    std::function<void(LinkId, LinkEnd, const std::string& why)> ended;
    std::function<void(const std::string&)>
        say;                        // a line for the log; strangers are told once for each address
    TicketDesk* tickets = nullptr;  // of clients that come again; none: nobody comes with one
    std::function<ConnectionHolder(int socket)>
        holder{};  // for tests; none: as the kernel says (peer_holder.hpp)
    // A daemon has taken all that it had not taken at once: unsent() is 0.
    std::function<void(LinkId)> drained{};
  };
  // The payloads of one answer, each made when there is room for it; nothing after the last. A call makes a bounded piece of
  // the answer, a millisecond's work or two: between two of them the loop does whatever else has come.
  using Source = std::function<std::optional<std::string>()>;

  // Dials with the first of the keys, and accepts with all.
  Links(boost::asio::io_context& loop, PeerKeys keys, const LinkLimits& limits, Handler handler);
  ~Links();

  // Every address of this host, port 0: one the kernel chooses. Gives the port; the error names port and reason.
  Result<std::uint16_t> listen(std::uint16_t port);

  // The outcome is `opened` or `ended`, never before this returns. `host`: a name or an address.
  LinkId dial(const std::string& host, std::uint16_t port);

  // Nothing where the link is not open. What cannot leave now is kept up to the limit.
  void send(LinkId link, std::string_view payload);
  // A client's answer of any length. What else it asks is read when this is done.
  void answer(LinkId link, Source source);
  // The answer to a client comes later, by send() or answer(): what else it asks is read after that, and that it has gone
  // is found then too. The caller sees to it that an answer does come.
  void promise(LinkId link);
  // The client is known to be this user: no stranger any more, and it may be idle.
  void identified(LinkId link, unsigned uid);
  // Bytes that the peer has not taken yet: who makes an answer piece by piece waits until there are none.
  std::size_t unsent(LinkId link) const;
  void close(LinkId link);
  // Closes when everything was sent; says so to nobody.
  void close_when_sent(LinkId link);

  // Listens no more, and every link goes, without a word to the handler.
  void shut_down();
  std::size_t open_links() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::io
