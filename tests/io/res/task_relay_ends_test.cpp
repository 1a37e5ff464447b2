// How a TaskStarter is joined to pam by a relay, and how its last words reach pam whatever happens meanwhile.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

#include "common/io/task_relay.hpp"
#include "common/wire/relay_items.hpp"
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
    const io::Key key = io::relay_key(key_, port_);
    std::string ask;
    wire::append_frame(ask, "127.0.0.1:" + std::to_string(port_) + std::string(1, '\0') +
                                std::string(key.begin(), key.end()));
    put(socket, ask);
    return socket;
  }
  static std::string framed(const std::string& message) {
    std::string frame;
    wire::append_frame(frame, message);
    return frame;
  }
  // The next frame that the TaskStarter is sent; "" : the relay has closed.
  std::string frame_for(const io::Descriptor& task) {
    std::string frame(4, '\0');
    for (std::size_t got = 0; got < frame.size();) {
      pollfd ready{task.get(), POLLIN, 0};
      while (poll(&ready, 1, 0) == 0) {
        turn();
        if (HasFailure()) return "";
      }
      const ssize_t size = recv(task.get(), frame.data() + got, frame.size() - got, 0);
      if (size <= 0) return "";
      got += static_cast<std::size_t>(size);
      if (got == 4) frame.resize(4 + static_cast<unsigned char>(frame[3]));
    }
    return frame.substr(4);
  }
  // pam, when the relay has dialed it.
  void accept_relay() {
    pollfd ready{door_.get(), POLLIN, 0};
    while (poll(&ready, 1, 0) == 0) turn();
    pam_ = io::Descriptor(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(pam_);
  }
  // What pam hears of the task, until it ends or the messages are there.
  void pam_hears(const std::string& expected, bool to_its_end) {
    pollfd ready{pam_.get(), POLLIN, 0};
    while (to_its_end ? !ended_ : heard_.size() < expected.size()) {
      if (poll(&ready, 1, 0) == 0) {
        turn();
        if (HasFailure()) return;
        continue;
      }
      take_some();
      if (HasFailure()) return;
    }
    EXPECT_EQ(heard_, expected);
  }
  void take_some() {
    std::array<char, 4096> bytes{};
    const ssize_t size = recv(pam_.get(), bytes.data(), bytes.size(), 0);
    ASSERT_GT(size, 0);
    std::string_view come(bytes.data(), static_cast<std::size_t>(size));
    const std::size_t hello = std::min(come.size(), kGreeting - greeted_);
    greeted_ += hello;
    come.remove_prefix(hello);
    std::string answer;
    ASSERT_TRUE(talk_.feed(come, answer, [&](std::string_view payload) -> Result<void> {
      while (!payload.empty()) {
        const auto item = wire::take_item(payload);
        if (!item) return item.error();
        heard_ += item->message;
        ended_ |= item->kind == wire::RelayItem::Kind::end;
      }
      return {};
    }));
    put(pam_, answer);
    answered_ |= !answer.empty();
  }
  // The handshake of both.
  void join(const io::Descriptor& task) {
    accept_relay();
    talk_ = io::SecureChannel::pam(io::relay_key(key_, port_), io::random_nonce(), instance_);
    pollfd ready{pam_.get(), POLLIN, 0};
    while (!talk_.open() && !HasFailure()) poll(&ready, 1, 0) == 0 ? turn() : take_some();
    EXPECT_EQ(frame_for(task), std::string(instance_.begin(), instance_.end()));
  }
  void pam_says(const std::string& message) {
    std::string items;
    wire::append_task_message(items, 1, message);
    put(pam_, talk_.seal(items));
  }
  static void put(const io::Descriptor& socket, const std::string& bytes) {
    ASSERT_EQ(send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  static constexpr std::size_t kGreeting = 4 + wire::kRelayHello.size();
  io::TaskRelay relay_;
  io::Key key_{};
  io::Instance instance_ = io::random_instance();
  io::Descriptor door_, pam_;
  std::uint16_t port_ = 0;
  std::string heard_;
  std::size_t greeted_ = 0;
  io::SecureChannel talk_ = io::SecureChannel::pam(key_, {}, {});
  bool answered_ = false, ended_ = false;
};

// A signal for a task crosses with its end: the TaskStarter is gone when the relay hands it over, and has said more than the relay read.
TEST_F(TaskRelayTest, WordsOfATaskStarterThatIsGoneReachPam) {
  io::Descriptor task = starter();
  join(task);
  put(task, framed("first"));
  pam_hears("first", false);
  pam_says("a signal");
  const auto before = polled();
  put(task, framed(", last"));
  task.reset();
  relay_.turn(before, steady_now());
  pam_hears("first, last", true);
}

// The relay may be killed as soon as this frame is there. A pam that has not answered yet may give the connection up unread.
TEST_F(TaskRelayTest, AStarterIsToldAtItsEndThatItsWordsAreWithPam) {
  io::Descriptor task = starter();
  join(task);
  put(task, framed("first") + framed(", last"));
  shutdown(task.get(), SHUT_WR);
  pam_hears("first, last", true);
  pollfd told{task.get(), POLLIN, 0};
  EXPECT_EQ(poll(&told, 1, 0), 0) << "pam has said nothing yet";
  pam_says("welcome");
  EXPECT_EQ(frame_for(task), wire::kRelayTold);
  EXPECT_EQ(frame_for(task), "") << "then the relay closes";
}

TEST_F(TaskRelayTest, APamThatCannotProveItselfJoinsNobody) {
  io::Descriptor task = starter();
  accept_relay();
  talk_ = io::SecureChannel::pam(key_, io::random_nonce(), instance_);  // by another key
  pollfd ready{pam_.get(), POLLIN, 0};
  while (!answered_ && !HasFailure()) poll(&ready, 1, 0) == 0 ? turn() : take_some();
  EXPECT_EQ(frame_for(task), "") << "it is let go, and dials by itself";
}

}  // namespace
}  // namespace rollcall::res
