// Who holds the other end of a connection (common/io/peer_holder.hpp), with this kernel.
#include "common/io/peer_holder.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace rollcall::io {
namespace {

constexpr uid_t kNobody = 65534;

struct Ends {
  Descriptor listener, accepted;
  sockaddr_in6 place{};
};

Ends listening() {
  Ends ends;
  ends.listener = Descriptor(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int both = 0;
  setsockopt(ends.listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof both);
  ends.place.sin6_family = AF_INET6;
  socklen_t size = sizeof ends.place;
  EXPECT_EQ(bind(ends.listener.get(), reinterpret_cast<sockaddr*>(&ends.place), size), 0);
  EXPECT_EQ(listen(ends.listener.get(), 8), 0);
  getsockname(ends.listener.get(), reinterpret_cast<sockaddr*>(&ends.place), &size);
  return ends;
}

Descriptor call_v4(in_port_t port, const char* from) {
  Descriptor own(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in here{}, there{};
  here.sin_family = there.sin_family = AF_INET;
  inet_pton(AF_INET, from, &here.sin_addr);
  inet_pton(AF_INET, "127.0.0.1", &there.sin_addr);
  there.sin_port = port;
  if (bind(own.get(), reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 ||
      connect(own.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) != 0)
    own.reset();
  return own;
}

Descriptor call_v6(in_port_t port) {
  Descriptor own(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 there{};
  there.sin6_family = AF_INET6;
  there.sin6_addr = in6addr_loopback;
  there.sin6_port = port;
  if (connect(own.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) != 0) own.reset();
  return own;
}

Descriptor accept_one(const Ends& ends) {
  return Descriptor(accept4(ends.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

TEST(PeerHolders, NamesTheUserAtTheOtherEndWhateverAddressTheyChose) {
  const auto ends = listening();
  PeerHolders holders;
  for (const char* from : {"127.0.0.1", "127.9.8.7"}) {
    const auto client = call_v4(ends.place.sin6_port, from);
    ASSERT_TRUE(client);
    const auto holder = holders.of(accept_one(ends).get());
    EXPECT_EQ(holder.name, "uid " + std::to_string(geteuid()));
    EXPECT_TRUE(holder.trusted);
  }
  const auto six = call_v6(ends.place.sin6_port);
  if (!six) GTEST_SKIP() << "this host has no IPv6";
  EXPECT_EQ(holders.of(accept_one(ends).get()).name, "uid " + std::to_string(geteuid()));
}

TEST(PeerHolders, ClosedSocketIsNotTakenForRoots) {
  const auto ends = listening();
  PeerHolders holders;
  call_v4(ends.place.sin6_port, "127.0.0.1").reset();
  const auto holder = holders.of(accept_one(ends).get());
  EXPECT_EQ(holder.name, "127.0.0.1");
  EXPECT_FALSE(holder.trusted);
}

// A child of another user; in a network namespace of its own where `apart`.
int name_of_nobody(bool apart) {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  if (apart && (unshare(CLONE_NEWNET) != 0 || system("ip link set lo up") != 0)) _exit(77);
  const auto ends = listening();
  PeerHolders holders;
  if (seteuid(kNobody) != 0) _exit(78);
  const auto client = call_v4(ends.place.sin6_port, "127.0.0.1");
  if (seteuid(0) != 0 || !client) _exit(79);
  const auto holder = holders.of(accept_one(ends).get());
  _exit(holder.name == "uid " + std::to_string(kNobody) && !holder.trusted ? 0 : 1);
}

TEST(PeerHolders, NamesAnotherUserWithoutTrust) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  EXPECT_EQ(name_of_nobody(false), 0);
}

TEST(PeerHolders, WorksInANetworkNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root for a network namespace";
  const int status = name_of_nobody(true);
  if (status == 77) GTEST_SKIP() << "no network namespace can be made here";
  EXPECT_EQ(status, 0);
}

TEST(PeerHolders, UnconnectedSocketHasNoUser) {
  PeerHolders holders;
  EXPECT_FALSE(holders.of(-1).trusted);
}

}  // namespace
}  // namespace rollcall::io
