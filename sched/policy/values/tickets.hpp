// Tickets: who may come again without proving anew who they are, and that nobody's first flight is taken twice. A value with
// invariants: mbatchd's memory of the tickets it has given, gone with it.
//
// Not the bytes of a ticket's conversation (common/io/ticket.hpp) and not what a holder may do, which is looked at for every
// request as ever. Randomness and time are passed in; secrets are wiped when they are forgotten. Decision 0044 tells why.
//
// state of a ticket x input |
//   given     secret()      -> it, for a caller from the holder's address
//   given     spend()       -> true once for each nonce; kMostUses of them make it spent
//   spent     any           -> nothing, false
//   given, spent: `life` after it was given -> over (nothing, false); `kLinger` later it is forgotten
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

// Whom a ticket is for, and how that was proved.
struct TicketHolder {
  std::uint32_t uid = 0, gid = 0;
  std::string name;
  bool by_key = false;  // else by MUNGE
  std::string address;  // where the proof came from; the ticket is good from there alone

  auto operator<=>(const TicketHolder&) const = default;
};

class Tickets {
 public:
  using Id = std::array<std::uint8_t, 16>;
  using Bytes32 = std::array<std::uint8_t, 32>;
  using Now = Duration;  // since anything, as long as it only grows

  static constexpr std::size_t kMost = 10'000;    // tickets that are remembered; further clients get none
  static constexpr std::size_t kMostOfUser = 32;  // from so many addresses, or anew when one is half used up
  static constexpr std::size_t kMostUses = 4096;  // of one
  static constexpr std::size_t kMostNonces = 1 << 18;  // of all together: 16 MiB or so
  static constexpr Duration kLinger =
      std::chrono::seconds(10);  // longer than a caller may take to prove himself

  struct Given {
    Id id{};
    Bytes32 secret{};
  };
  // The ticket that this holder has, where half of its time and of its uses is left: as many clients as a user starts at once
  // get the same. Else a new one of these random bytes. Nothing where there are too many.
  std::optional<Given> give(const TicketHolder& holder, const Given& random, Duration life, Now now);
  std::optional<Bytes32> secret(const Id& id, const std::string& address, Now now) const;
  bool spend(const Id& id, const Bytes32& nonce, Now now);
  // Also of one that is just over: its caller was let in before.
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
