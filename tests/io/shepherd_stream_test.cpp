// A client's stream at the shepherd's end (res/shepherd/stream.hpp), without a shepherd.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "res/shepherd/stream.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;

io::Descriptor connect_to(std::uint16_t port) {
  io::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  return socket;
}

// No descriptor can be had while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(STDERR_FILENO);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

// What the stream wants to be polled for, when something of it is ready.
std::vector<pollfd> polled(Stream& stream) {
  std::vector<pollfd> fds;
  stream.add_to(fds);
  if (!fds.empty()) {
    EXPECT_GT(poll(fds.data(), fds.size(), 10'000), 0);
  }
  return fds;
}

TEST(ShepherdStream, AClientWaitsWhereNoDescriptorIsLeft) {
  const TimePoint now{1000s};
  auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
  ASSERT_TRUE(made) << made.error().text;
  Stream& stream = **made;
  const io::Descriptor client = connect_to(stream.port());
  {
    const NoDescriptors none;
    stream.turn(polled(stream), now);
  }
  EXPECT_TRUE(polled(stream).empty()) << "the port is ready all the time: looking at it would never end";
  ASSERT_TRUE(stream.next_deadline());
  EXPECT_EQ(*stream.next_deadline(), now + 1s);
  stream.turn({}, now + 1s);
  stream.turn(polled(stream), now + 1s);
  std::vector<pollfd> fds;
  stream.add_to(fds);
  EXPECT_EQ(fds.size(), 2U) << "the port, and the client that was taken";
}

}  // namespace
}  // namespace rollcall::res
