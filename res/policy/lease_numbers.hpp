// LeaseNumbers: of each lease of the host the largest grant number that RES knows, so that a start under an older grant is refused: two
// masters that are both wrong cannot put two jobs on one slot. A value; RES keeps it on disk beside its term and writes it before it
// obeys. docs/decisions/0097.
//
//   event          | known number                         | answer
//   ---------------+--------------------------------------+---------------------------
//   start, number  | none: new here, or the file was lost | unnamed: refused until mbatchd has named the number
//                  | larger                               | older: refused
//                  | equal or smaller                     | accepted; a larger number is kept
//   named, number  | none or smaller                      | it is kept
//
// On disk: lines = ( "lease " LEASE " " TERM " " COUNTER "\n" )*
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace rollcall::res {

inline constexpr std::size_t kMostLeases = 10'000;  // of one host

struct LeaseGrant {
  std::uint64_t term = 0, counter = 0;
  friend auto operator<=>(const LeaseGrant&, const LeaseGrant&) = default;
};

class LeaseNumbers {
 public:
  enum class Answer { accepted, older, unnamed };
  // `changed`: the value must be on disk before the start is obeyed.
  Answer start(std::uint64_t lease, const LeaseGrant& under, bool& changed);
  // mbatchd says what the lease's number is. True: the value has changed. Beyond kMostLeases a lease is not kept.
  bool named(std::uint64_t lease, const LeaseGrant& number);
  // The lease is over, and nothing of it runs here.
  bool forget(std::uint64_t lease) { return known_.erase(lease) > 0; }

  const std::map<std::uint64_t, LeaseGrant>& known() const { return known_; }
  // None: {}.
  LeaseGrant newest(std::uint64_t lease) const;
  std::size_t size() const { return known_.size(); }

  std::string lines() const;
  // Ignores lines that are no lease's. The lease of a line that cannot be read stays unnamed, so it gets no start.
  static LeaseNumbers of_lines(std::string_view lines);

 private:
  std::map<std::uint64_t, LeaseGrant> known_;
};

}  // namespace rollcall::res
