// HostId: a host of our cluster or of another one, by its official name there. A value with invariants.
//
//   host@cluster   a host of another cluster (LSF's own form of a borrowed host)
//   host           a host of our cluster, which is never named
//
// That form is what the store, the wire, events and tables have. One HostId has one written form and the other way round: every
// text is a HostId whose text() is that text again, and a text that is not `host@cluster` is the name of a host of ours.
//
// It does not say that the host exists, nor whether it is borrowed. Inside the Book and the cycle a host is a HostNumber
// (host_numbers.hpp).
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::sched {

class HostId {
 public:
  HostId() = default;  // of no host: empty()
  // As the store, the wire and LIM write it, with no check.
  explicit HostId(std::string written);
  // As a person writes it: `host`, `host@cluster`, or `host@own_cluster`, which is ours. An error is one line.
  static Result<HostId> parse(std::string_view word, std::string_view own_cluster);

  bool empty() const { return written_.empty(); }
  bool ours() const { return at_ == std::string::npos; }
  std::string_view host() const { return std::string_view(written_).substr(0, at_); }
  std::string_view cluster() const;  // "": ours
  const std::string& text() const { return written_; }

  friend bool operator==(const HostId& a, const HostId& b) { return a.written_ == b.written_; }
  // Ours first, then by cluster; by name within a cluster.
  friend std::strong_ordering operator<=>(const HostId& a, const HostId& b);

 private:
  std::string written_;
  std::size_t at_ = std::string::npos;  // of the mark
};

inline const std::string& text(const HostId& host) { return host.text(); }

}  // namespace rollcall::sched

template <>
struct std::hash<rollcall::sched::HostId> {
  std::size_t operator()(const rollcall::sched::HostId& host) const noexcept {
    return std::hash<std::string_view>()(host.text());
  }
};
