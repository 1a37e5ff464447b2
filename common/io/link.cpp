#include "common/io/link.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace rollcall::io {
namespace {

constexpr std::size_t kAhead =
    64 * 1024;  // bytes of an answer that may be made before earlier ones have left

}  // namespace

bool Link::has_room() const { return source && unsent.size() - sent < kAhead; }

void Link::make_part() {
  if (const auto payload = source())
    unsent += channel.seal(*payload);
  else
    source = nullptr;
}

Sent Link::write() {
  while (sent < unsent.size()) {
    boost::system::error_code error;
    const std::size_t size =
        socket.write_some(boost::asio::buffer(unsent.data() + sent, unsent.size() - sent), error);
    if (size > 0) last_progress = std::chrono::steady_clock::now();
    sent += size;
    if (error == boost::asio::error::would_block) {
      unsent.erase(0, sent);
      sent = 0;
      return Sent::some;
    }
    if (error) {
      write_error = error;
      return Sent::failed;
    }
  }
  unsent.clear();
  unsent.shrink_to_fit();
  sent = 0;
  return Sent::all;
}

void Link::drop_unsent() {
  unsent.clear();
  source = nullptr;
  sent = 0;
}

std::size_t most_descriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

LinkLimits fitted(LinkLimits limits, std::size_t descriptors) {
  limits.strangers = std::max<std::size_t>(1, std::min(limits.strangers, descriptors / 4));
  limits.share = std::max<std::size_t>(1, std::min(limits.share, limits.strangers / 2));
  limits.clients = std::max<std::size_t>(1, std::min(limits.clients, descriptors / 2));
  return limits;
}

}  // namespace rollcall::io
