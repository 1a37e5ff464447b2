#include "common/io/job_key.hpp"

#include "common/io/cluster_keys.hpp"

namespace rollcall::io {

using cluster::blake;
using cluster::view;

std::string job_key(const ClusterKey& cluster, std::string_view attempt) {
  return std::string(view(blake(view(cluster.secret), "rollcall job key v1", attempt)));
}

std::string job_relay(std::string_view key) {
  constexpr std::size_t kBytes = 16;
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto bytes = blake(key, "rollcall job relay v1", {});
  std::string digits;
  for (std::size_t i = 0; i < kBytes; ++i) {
    digits += kDigits[bytes[i] >> 4];
    digits += kDigits[bytes[i] & 0xf];
  }
  return digits;
}

Ticket job_ticket(std::string_view key) {
  Ticket ticket;
  const auto id = blake(key, "rollcall job ticket id v1", {});
  std::copy_n(id.begin(), ticket.id.size(), ticket.id.begin());
  ticket.secret = blake(key, "rollcall job ticket secret v1", {});
  return ticket;
}

}  // namespace rollcall::io
