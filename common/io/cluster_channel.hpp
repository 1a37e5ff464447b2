// ClusterChannel: one end of a conversation with a daemon of the cluster (common/wire/load.proto), without the socket.
//
// Bytes in, payloads out; payloads in, bytes out. It owns the handshake, the keys of this connection and the frame decoder; not
// the socket, the time limit, or the meaning of payloads. The cluster has one key (cluster_key.hpp): daemons hold the secret,
// everybody may read the public half. A dialler recognises the daemon by that public half. A dialling daemon proves that it holds
// the secret. A client may prove that too (the owner of a one-user cluster), or sends a MUNGE credential over hash() as its first
// sealed message. Each connection has its own keys from ephemeral Diffie-Hellman, so a stolen key opens no past conversation.
// docs/protocol.md has the bytes and test vectors; all randomness is passed in.
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
//                                                     | turned away  anything -> ignored
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
  static constexpr std::size_t kAnyoneLimit = 1 << 16;  // bytes of a frame from a caller without proof

  using Sink = std::function<Result<void>(std::string_view payload)>;

  // The identity that the dialler has proved.
  enum class Caller {
    daemon,  // a daemon of the cluster: holds the key
    owner,   // a client that holds the key: the user who owns a one-user cluster, or root
    anyone,  // a client without proof (yet): see hash()
    ticket,  // a client with a ticket of the daemon: see ticket()
    peer,    // a daemon of another peer, whose key it holds: see peer()
  };

  static ClusterChannel dial_as_daemon(const ClusterKey& key, const Seed& random);
  // Names the key that it means, so that the daemon may have several (PeerKeys). A daemon of an older release refuses such a
  // call.
  static ClusterChannel dial_naming_key(const ClusterKey& key, const Seed& random);
  static ClusterChannel dial_as_owner(const ClusterKey& key, const Seed& random);
  static ClusterChannel dial_as_anyone(const ClusterPublicKey& key, const Seed& random);
  // May seal as soon as it is started. What it seals before the channel is open leaves without forward secrecy, and the daemon
  // accepts it once.
  static ClusterChannel dial_with_ticket(const Ticket& ticket, const Seed& random);
  static ClusterChannel accept(const ClusterKey& key, const Seed& random);
  // The same with this connection's ephemeral key made in advance, which saves half of the work of an answer. It serves one
  // connection only.
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
  // Accepts with any of these keys, which must outlive the channel.
  static ClusterChannel accept(const PeerKeys& keys, const Seed& random);
  static ClusterChannel accept(const PeerKeys& keys, const OwnKey& own);
  // Acceptor only, before the first feed(): callers from this address may use tickets of this desk, which must outlive the
  // channel.
  void honour_tickets(TicketDesk& desk, std::string address);
  ClusterChannel(ClusterChannel&&) noexcept;
  ClusterChannel& operator=(ClusterChannel&&) noexcept;
  ~ClusterChannel();  // wipes the keys

  // Dialler only: the first bytes to send.
  std::string start();
  // Dialler only, while the answer is on its way: optionally computes in advance what does not depend on it.
  void prepare();

  // Takes bytes from the peer. Bytes that the handshake must answer with are appended to `out`; opened payloads go to
  // `sink`, which may call seal(). An error is final.
  Result<void> feed(std::string_view bytes, std::string& out, const Sink& sink);

  bool open() const;
  // Acceptor only, where open().
  Caller caller() const;
  // Acceptor only: the peer's name if caller() is `peer`; else "".
  const std::string& peer() const;
  // Acceptor only: the ticket's id if caller() is `ticket`.
  const TicketId& ticket() const;
  // The ticket was rejected. The dialler retries with a full handshake; the acceptor waits until the dialler goes.
  bool turned_away() const;
  // 32 bytes unique to this handshake, the same at both ends; only where open(). A credential over it is valid for this
  // connection alone.
  const std::string& hash() const;

  // The largest payload that may be sealed, in bytes: 1 MiB - 17, or 64 KiB - 17 for an unproved client. 0 where not open(),
  // except for a started dialler with a ticket.
  std::size_t most() const;
  // The sealed frame of a payload of 1 byte ..= most(); "" for other sizes.
  std::string seal(std::string_view payload);

 private:
  struct State;
  static ClusterChannel with_key(bool accepts, Caller caller, const ClusterKey& key, const Seed& random);
  explicit ClusterChannel(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::io
