// Tickets: the tickets that mbatchd has given. A client with a ticket skips the handshake; each first flight is accepted only once.
// A value with invariants, in memory alone.
//
// The bytes of a ticket's conversation are in common/io/ticket.hpp. A ticket proves who the client is; rights are checked for every
// request as usual. Randomness and time are passed in; secrets are wiped when they are forgotten. Decision 0044 tells why.
//
// state of a ticket x input |
//   given     secret()      -> the secret, if the client has the holder's address
//   given     spend()       -> true once for each nonce; after kMostUses nonces the ticket is spent
//   spent     any           -> none, false
//   given, spent: `life` after it was given -> over (none, false); `kLinger` later it is forgotten
//   any       forget_all()  -> unknown
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "common/base/job_clock.hpp"

namespace rollcall::sched {

// The client that a ticket is for, and how it proved its identity.
struct TicketHolder {
  std::uint32_t uid = 0, gid = 0;
  std::string name;
  bool by_key = false;  // false: by MUNGE
  std::string address;  // where the proof came from; the ticket is valid only from there

  auto operator<=>(const TicketHolder&) const = default;
};

class Tickets {
 public:
  using Id = std::array<std::uint8_t, 16>;
  using Bytes32 = std::array<std::uint8_t, 32>;
  using Now = Duration;  // of any clock that never goes back

  static constexpr std::size_t kMost = 10'000;         // tickets at a time; further clients get none
  static constexpr std::size_t kMostOfUser = 32;       // tickets of one user: several addresses, and renewals
  static constexpr std::size_t kMostUses = 4096;       // nonces of one ticket
  static constexpr std::size_t kMostNonces = 1 << 18;  // of all tickets together, about 16 MiB
  // Longer than a client may take for its handshake.
  static constexpr Duration kLinger = std::chrono::seconds(10);

  struct Given {
    Id id{};
    Bytes32 secret{};
  };
  // The holder's present ticket if half of its time and of its uses is left, so that clients which a user starts at once share one;
  // else a new ticket, made of `random`. None: there are too many tickets.
  std::optional<Given> give(const TicketHolder& holder, const Given& random, Duration life, Now now);
  std::optional<Bytes32> secret(const Id& id, const std::string& address, Now now) const;
  bool spend(const Id& id, const Bytes32& nonce, Now now);
  // Also for a ticket that is just over: its client was accepted before.
  const TicketHolder* holder(const Id& id) const;
  void forget_all() { *this = Tickets(); }

  std::size_t size() const { return tickets_.size(); }
  std::size_t nonces() const { return nonces_; }

 private:
  using Nonce = std::array<std::uint8_t, 16>;
  struct NonceHash {
    std::size_t operator()(const Nonce& nonce) const;
  };
  struct Entry {
    TicketHolder holder;
    Bytes32 secret{};
    Now given{}, ends{};
    bool spent = false;
    std::unordered_set<Nonce, NonceHash> nonces;

    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();  // wipes the secret
  };
  const Entry* good(const Id& id, Now now) const;
  void forget_old(Now now);

  std::map<Id, Entry> tickets_;
  std::map<TicketHolder, Id> newest_;  // of each holder
  std::map<std::uint32_t, std::size_t> of_user_;
  std::multimap<Now, Id> by_end_;
  std::size_t nonces_ = 0;
};

}  // namespace rollcall::sched
