// ClusterChannel: one end of a conversation with a daemon of the cluster (common/wire/load.proto), without the socket.
//
// Bytes in, payloads out; payloads in, bytes out. It owns the handshake, the keys of this connection and the frame
// decoder; not the socket, the time limit, or what the payloads mean. The cluster has one key (cluster_key.hpp): daemons
// hold the secret, everybody may read the public half. Who dials knows the daemon by that public half; a daemon that
// dials proves that it holds the secret; a client may prove it too (the owner of a one-user cluster), or sends a MUNGE
// credential over hash() as its first sealed message. Each connection has keys of its own from ephemeral Diffie-Hellman,
// so a stolen key opens no past conversation. docs/protocol.md has the bytes and test vectors; all randomness is passed in.
//
// state x input (who dials)              | (who accepts)
//   fresh         start() -> awaits Accept |   fresh         Dial good   -> awaits Finish (sends Accept)
//   awaits Accept good    -> open (sends Finish) | awaits Finish  good   -> open
//   open          sealed  -> open (payload)|   open          sealed      -> open (payload)
//   any           anything else            -> error; the caller closes the connection, and calls nothing more
// With a ticket (ticket.hpp) of an earlier conversation, which a TicketDesk of the daemon's knows:
//   fresh         start() -> awaits answer, may seal | fresh    call of a good ticket -> awaits early record
//   awaits answer good    -> open                    |          of another -> turned away (sends No)
//   awaits answer No      -> error, turned away      | awaits early record  opens, nonce is new -> open (payload; the answer
//                                                    |          leaves before the first thing that is sealed); else turned away
//                                                    | turned away  anything -> passed over
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/peer_keys.hpp"
#include "common/io/ticket.hpp"

namespace rollcall::io {

class ClusterChannel {
 public:
  static constexpr std::size_t kAnyoneLimit = 1
                                              << 16;  // bytes of a frame from a caller who has proved nothing

  using Sink = std::function<Result<void>(std::string_view payload)>;

  // What the one who dialled has proved to be.
  enum class Caller {
    daemon,  // a daemon of the cluster: holds the key
    owner,   // a client that holds the key: the user who owns a one-user cluster, or root
    anyone,  // a client that has proved nothing (yet): see hash()
    ticket,  // a client that the daemon gave a ticket to: see ticket()
    peer,    // a daemon of another peer, whose key it holds: see peer()
  };

  static ClusterChannel dial_as_daemon(const ClusterKey& key, const Seed& random);
  // Says which key it means, so that the daemon may have several (PeerKeys). A daemon of an older release takes no such call.
  static ClusterChannel dial_naming_key(const ClusterKey& key, const Seed& random);
  static ClusterChannel dial_as_owner(const ClusterKey& key, const Seed& random);
  static ClusterChannel dial_as_anyone(const ClusterPublicKey& key, const Seed& random);
  // May seal as soon as it is started: what it seals until the channel is open leaves without forward secrecy, and the daemon takes
  // it once.
  static ClusterChannel dial_with_ticket(const Ticket& ticket, const Seed& random);
  static ClusterChannel accept(const ClusterKey& key, const Seed& random);
  // The same with a key of this connection's own that was made before anybody called: half of what an answer to a call takes. It
  // serves one connection alone.
  struct OwnKey {
    Seed scalar{};
    ClusterPublicKey half{};
    OwnKey() = default;
    explicit OwnKey(const Seed& random);
    OwnKey(const OwnKey&) = delete;
    OwnKey& operator=(const OwnKey&) = delete;
    ~OwnKey();  // wipes it
  };
  static ClusterChannel accept(const ClusterKey& key, const OwnKey& own);
  // With any of these keys, which outlive the channel.
  static ClusterChannel accept(const PeerKeys& keys, const Seed& random);
  static ClusterChannel accept(const PeerKeys& keys, const OwnKey& own);
  // Who accepts, before anything is fed: callers from this address may come with tickets of this desk, which outlives the channel.
  void honour_tickets(TicketDesk& desk, std::string address);
  ClusterChannel(ClusterChannel&&) noexcept;
  ClusterChannel& operator=(ClusterChannel&&) noexcept;
  ~ClusterChannel();  // wipes the keys

  // Who dials only: the first bytes to send.
  std::string start();
  // Who dials, while the answer is on its way: does what can be done without it. Need not be called.
  void prepare();

  // Takes bytes from the peer. Bytes that the handshake must answer with are appended to `out`; opened payloads go to
  // `sink`, which may call seal(). An error is final.
  Result<void> feed(std::string_view bytes, std::string& out, const Sink& sink);

  bool open() const;
  // Who accepts only, where open().
  Caller caller() const;
  // Who accepts: the name of the peer, where caller() says so; else "".
  const std::string& peer() const;
  // Who accepts: which ticket the caller came with; only where caller() says so.
  const TicketId& ticket() const;
  // The ticket is worth nothing. Who dialled dials anew with what else it has; who accepts waits until it goes.
  bool turned_away() const;
  // 32 bytes that only this handshake has, the same at both ends; only where open(). A credential over it holds for this
  // connection alone.
  const std::string& hash() const;

  // The largest payload that may be sealed here, in bytes: 1 MiB - 17, or 64 KiB - 17 on the way from anyone, who may
  // send only small frames. 0 where not open(), but for who comes with a ticket and has started.
  std::size_t most() const;
  // The sealed frame of a payload of 1 byte ..= most(); "" where a caller breaks that.
  std::string seal(std::string_view payload);

 private:
  struct State;
  static ClusterChannel with_key(bool accepts, Caller caller, const ClusterKey& key, const Seed& random);
  explicit ClusterChannel(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::io
