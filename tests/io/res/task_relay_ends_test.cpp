// The last words of a TaskStarter reach pam, whatever pam says to it meanwhile.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "common/io/task_relay.hpp"
#include "common/wire/channels.hpp"
#include "res/shepherd/clocks.hpp"

namespace rollcall::res {
namespace {

constexpr int kPatienceMs = 10'000;

// The relay in the hands of the test: polled and turned when the test says so.
class TaskRelayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    relay_.listen("rollcall/task_relay_test/" + std::to_string(getpid()));
    ASSERT_FALSE(relay_.name().empty());
    door_ = io::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    ASSERT_EQ(bind(door_.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
    ASSERT_EQ(::listen(door_.get(), 1), 0);
    ASSERT_EQ(getsockname(door_.get(), reinterpret_cast<sockaddr*>(&place), &size), 0);
    port_ = ntohs(place.sin_port);
  }

  std::vector<pollfd> polled() {
    std::vector<pollfd> fds;
    relay_.add_to(fds);
    EXPECT_GT(poll(fds.data(), fds.size(), kPatienceMs), 0) << "nothing happens at the relay";
    return fds;
  }
  void turn() { relay_.turn(polled(), steady_now()); }

  io::Descriptor starter() {
    io::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::memcpy(place.sun_path + 1, relay_.name().data(), relay_.name().size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + relay_.name().size());
    EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
    std::string ask;
    wire::append_frame(ask, "127.0.0.1:" + std::to_string(port_));
    put(socket, ask + "first");
    return socket;
  }
  // pam, when the relay has dialed it.
  void accept_relay() {
    pollfd ready{door_.get(), POLLIN, 0};
    while (poll(&ready, 1, 0) == 0) turn();
    pam_ = io::Descriptor(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(pam_);
  }
  // What pam hears, until the channel ends or the bytes are there.
  void pam_hears(const std::string& expected, bool to_its_end) {
    pollfd ready{pam_.get(), POLLIN, 0};
    while (to_its_end ? !ended_ : heard_.size() < expected.size()) {
      if (poll(&ready, 1, 0) == 0) {
        turn();
        if (HasFailure()) return;
        continue;
      }
      std::array<char, 4096> bytes{};
      const ssize_t size = recv(pam_.get(), bytes.data(), bytes.size(), 0);
      ASSERT_GT(size, 0);
      take({bytes.data(), static_cast<std::size_t>(size)});
    }
    EXPECT_EQ(heard_, expected);
  }
  void take(std::string_view bytes) {
    greeting_.append(bytes.substr(0, std::min(bytes.size(), kGreeting - greeting_.size())));
    const std::size_t skipped = std::exchange(greeted_, greeting_.size()) == kGreeting ? 0 : greeting_.size();
    std::vector<wire::Channels::Event> events;
    ASSERT_TRUE(channels_.feed(bytes.substr(std::min(bytes.size(), skipped)), events));
    for (const auto& event : events) {
      if (const auto* e = std::get_if<wire::Channels::Arrived>(&event)) heard_ += e->bytes;
      if (const auto* e = std::get_if<wire::Channels::Opened>(&event)) channel_ = e->channel;
      ended_ |= std::holds_alternative<wire::Channels::Ended>(event);
    }
  }
  void pam_says(const std::string& text) {
    channels_.send(channel_, text);
    put(pam_, channels_.output(1 << 16));
  }
  static void put(const io::Descriptor& socket, const std::string& bytes) {
    ASSERT_EQ(send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  static constexpr std::size_t kGreeting = 4 + std::string_view("rollcall channels v1").size();
  io::TaskRelay relay_;
  io::Descriptor door_, pam_;
  std::uint16_t port_ = 0;
  std::string greeting_, heard_;
  std::size_t greeted_ = 0;
  wire::Channels channels_{wire::Channels::End::accepted};
  wire::ChannelId channel_ = 0;
  bool ended_ = false;
};

// A signal for a task crosses with its end: the TaskStarter is gone when the relay hands it over, and has said more than the relay read.
TEST_F(TaskRelayTest, WordsOfATaskStarterThatIsGoneReachPam) {
  io::Descriptor task = starter();
  accept_relay();
  pam_hears("first", false);
  pam_says("a signal");
  const auto before = polled();
  put(task, ", last");
  task.reset();
  relay_.turn(before, steady_now());
  pam_hears("first, last", true);
}

}  // namespace
}  // namespace rollcall::res
