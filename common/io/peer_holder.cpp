#include "common/io/peer_holder.hpp"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

namespace rollcall::io {
namespace {

constexpr int kMostStale = 8;  // late answers to earlier questions to skip

struct Endpoint {
  int family = AF_UNSPEC;
  std::array<unsigned char, 16> address{};
  in_port_t port = 0;  // network order, as the kernel wants it
};

// An IPv4 address of an IPv6 socket is one of IPv4.
Endpoint endpoint_of(const sockaddr_storage& name) {
  Endpoint end;
  end.family = name.ss_family;
  if (name.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(name);
    std::memcpy(end.address.data(), &four.sin_addr, sizeof four.sin_addr);
    end.port = four.sin_port;
  } else if (name.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(name);
    end.port = six.sin6_port;
    const unsigned char* const bytes = six.sin6_addr.s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
      end.family = AF_INET;
      std::copy_n(bytes + 12, 4, end.address.begin());
    } else {
      std::copy_n(bytes, 16, end.address.begin());
    }
  }
  return end;
}

std::string address_of(Endpoint end) {
  if (end.family != AF_INET && end.family != AF_INET6) return "a peer that has gone";
  if (end.family == AF_INET6) std::fill(end.address.begin() + 8, end.address.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(end.family, end.address.data(), text.data(), text.size());
  return end.family == AF_INET6 ? std::string(text.data()) + "/64" : text.data();
}

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 ask{};
};

Question question(const Endpoint& peer, const Endpoint& own, unsigned number) {
  Question q;
  q.header.nlmsg_len = sizeof q;
  q.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  q.header.nlmsg_flags = NLM_F_REQUEST;
  q.header.nlmsg_seq = number;
  q.ask.sdiag_family = static_cast<unsigned char>(peer.family);
  q.ask.sdiag_protocol = IPPROTO_TCP;
  q.ask.idiag_states = ~0U;
  q.ask.id.idiag_sport = peer.port;
  q.ask.id.idiag_dport = own.port;
  std::memcpy(q.ask.id.idiag_src, peer.address.data(), peer.address.size());
  std::memcpy(q.ask.id.idiag_dst, own.address.data(), own.address.size());
  std::fill(std::begin(q.ask.id.idiag_cookie), std::end(q.ask.id.idiag_cookie), INET_DIAG_NOCOOKIE);
  return q;
}

std::optional<unsigned> user_of(int netlink, const Question& q) {
  if (send(netlink, &q, sizeof q, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof q)) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> room{};
  for (int stale = 0; stale < kMostStale; ++stale) {
    const ssize_t size = recv(netlink, room.data(), room.size(), MSG_DONTWAIT);
    if (size < static_cast<ssize_t>(sizeof(nlmsghdr))) return std::nullopt;
    nlmsghdr header;
    std::memcpy(&header, room.data(), sizeof header);
    if (header.nlmsg_seq != q.header.nlmsg_seq) continue;
    inet_diag_msg found;
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || size < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof found))
      return std::nullopt;
    std::memcpy(&found, room.data() + NLMSG_HDRLEN, sizeof found);
    // The kernel reports uid 0 for a closed socket, which has no inode.
    if (found.idiag_inode == 0) return std::nullopt;
    return found.idiag_uid;
  }
  return std::nullopt;
}

}  // namespace

PeerHolders::PeerHolders() : netlink_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}

ConnectionHolder PeerHolders::of(int socket) {
  sockaddr_storage theirs{}, ours{};
  socklen_t their_size = sizeof theirs, our_size = sizeof ours;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) != 0 ||
      getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) != 0)
    return {"a peer that has gone", false};
  const Endpoint peer = endpoint_of(theirs);
  if (netlink_)
    if (const auto user = user_of(netlink_.get(), question(peer, endpoint_of(ours), ++asked_)))
      return holder_of_user(*user);
  return {address_of(peer), false};
}

ConnectionHolder holder_of_user(unsigned uid) {
  return {"uid " + std::to_string(uid), uid == 0 || uid == geteuid()};
}

}  // namespace rollcall::io
