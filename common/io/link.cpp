#include "common/io/link.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace rollcall::io {
namespace {

constexpr std::size_t kAhead =
    64 * 1024;  // bytes of an answer that may be made before earlier ones have left

}  // namespace

void Link::proved() {
  opened = true;
  if (!peer.dialled) {
    peer.caller = channel.caller();
    peer.peer = channel.peer();
  }
  if (peer.caller == ClusterChannel::Caller::ticket) peer.ticket = channel.ticket();
  peer.hash = channel.hash();
  peer.holder = holder.name;
}

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

std::shared_ptr<Link> dialled_link(boost::asio::ip::tcp::socket socket, LinkId id, const ClusterKey& own,
                                   const std::optional<PeerKey>& peer) {
  auto link = std::make_shared<Link>(std::move(socket), id,
                                     peer ? ClusterChannel::dial_naming_key(peer->key, random_seed())
                                          : ClusterChannel::dial_as_daemon(own, random_seed()));
  link->peer.dialled = true;
  if (peer) link->peer.caller = ClusterChannel::Caller::peer;
  if (peer) link->peer.peer = peer->peer;
  return link;
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
