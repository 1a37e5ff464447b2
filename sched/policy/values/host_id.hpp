// HostId: a host of our cluster or of another one, by its official name there. A value with invariants.
//
//   host@cluster   a host of another cluster (LSF's own form of a borrowed host)
//   @cluster       another cluster as a whole: where a forwarded job is, whose hosts we do not choose
//   host           a host of our cluster; the cluster is not written
//
// The store, the wire, events and tables use this form. HostIds and written forms correspond one to one: any text makes a HostId
// whose text() is the same text. A text in neither of the other forms names a host of our cluster.
//
// A HostId does not say that the host exists, or that it is borrowed. Inside the Book and the cycle a host is a HostNumber
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
  HostId() = default;  // no host: empty()
  // `written`: as in the store, on the wire and from LIM. It is not checked.
  explicit HostId(std::string written);
  // For input of users: `host`, `host@cluster`, or `host@own_cluster`, which is ours. Errors are one line.
  static Result<HostId> parse(std::string_view word, std::string_view own_cluster);
  static HostId whole_cluster(std::string_view cluster);

  bool empty() const { return written_.empty(); }
  bool ours() const { return at_ == std::string::npos; }
  bool is_cluster() const { return at_ == 0; }
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
