// Dialer and the relay of its host, on sockets of this machine; its clock is the test's.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/io/abstract_socket.hpp"
#include "taskstarter/dialer.hpp"

namespace rollcall::taskstarter {
namespace {

// A connection that came to `listener`; none: nobody dials it.
io::Descriptor comer(const io::Descriptor& listener) {
  return io::Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

class DialerRelay : public ::testing::Test {
 protected:
  void SetUp() override {
    pam_ = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ASSERT_EQ(bind(pam_.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    ASSERT_EQ(listen(pam_.get(), 8), 0);
    ASSERT_EQ(getsockname(pam_.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
    // Its name is taken, and nobody listens at it.
    relay_ = io::Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto place = io::abstract_address(name_);
    ASSERT_TRUE(place);
    ASSERT_EQ(bind(relay_.get(), reinterpret_cast<const sockaddr*>(&place->address), place->size), 0);
  }

  // The last packet of the handshake goes with the Hello.
  void connects(Dialer& dialer) {
    std::vector<pollfd> fds;
    dialer.add_to(fds);
    ASSERT_GT(poll(fds.data(), fds.size(), 10'000), 0);
    dialer.turn(fds, start_ + kRelayListens);
  }
  Dialer dialer() const { return Dialer(io::Key{}, {"127.0.0.1"}, port_, name_); }

  const std::string name_ = "rollcall/dialer_test/" + std::to_string(getpid());
  const TimePoint start_ = TimePoint{} + std::chrono::hours(1);
  std::uint16_t port_ = 0;
  io::Descriptor pam_, relay_;
};

TEST_F(DialerRelay, ThatDoesNotListenYetIsTriedAgain) {
  Dialer dialer = this->dialer();
  dialer.start(start_);
  EXPECT_EQ(dialer.next_deadline(), start_ + kRelayPause);
  ASSERT_EQ(listen(relay_.get(), 8), 0);
  dialer.turn({}, start_ + kRelayPause);
  EXPECT_TRUE(comer(relay_));
  EXPECT_FALSE(comer(pam_));
}

TEST_F(DialerRelay, IsTriedWithPausesBetween) {
  Dialer dialer = this->dialer();
  dialer.start(start_);
  ASSERT_EQ(listen(relay_.get(), 8), 0);
  dialer.turn({}, start_ + kRelayPause / 2);
  EXPECT_FALSE(comer(relay_));
}

TEST_F(DialerRelay, ThatNeverListensIsLeftForPamsAddress) {
  Dialer dialer = this->dialer();
  dialer.start(start_);
  dialer.turn({}, start_ + (kRelayListens - kRelayPause));
  EXPECT_FALSE(comer(pam_));
  dialer.turn({}, start_ + kRelayListens);
  connects(dialer);
  EXPECT_TRUE(comer(pam_));
}

TEST_F(DialerRelay, ThatListensIsDialedAtOnce) {
  ASSERT_EQ(listen(relay_.get(), 8), 0);
  Dialer dialer = this->dialer();
  dialer.start(start_);
  EXPECT_TRUE(comer(relay_));
  EXPECT_FALSE(comer(pam_));
}

}  // namespace
}  // namespace rollcall::taskstarter
