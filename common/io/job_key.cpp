#include "common/io/job_key.hpp"

#include "common/io/cluster_keys.hpp"

namespace rollcall::io {

using cluster::blake;
using cluster::view;

std::string job_key(const ClusterKey& own, std::string_view attempt) {
  return std::string(view(blake(view(own.secret), "rollcall job key v1", attempt)));
}

std::string job_task_key(const ClusterKey& own, std::string_view attempt, std::string_view cluster) {
  const std::string of_attempt(view(blake(view(own.secret), "rollcall job task key v1", attempt)));
  return std::string(view(blake(of_attempt, "rollcall job task key of cluster v1", cluster)));
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

Ticket job_ticket(std::string_view task_key) {
  Ticket ticket;
  const auto id = blake(task_key, "rollcall job ticket id v1", {});
  std::copy_n(id.begin(), ticket.id.size(), ticket.id.begin());
  ticket.secret = blake(task_key, "rollcall job ticket secret v1", {});
  return ticket;
}

}  // namespace rollcall::io
