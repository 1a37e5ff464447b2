// pam's connections to TaskStarters: what becomes of one that fails while pam writes.
//
// A failed write takes the error that the kernel had kept for the socket, and reading finds a plain end after it. A link that
// the network has cut must not look like a TaskStarter that has died: the first is waited for, the second ends its task.
#include <arpa/inet.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "common/io/descriptor.hpp"
#include "pam/starters.hpp"

namespace rollcall::pam {
namespace {

constexpr int kPatienceMs = 20'000;
constexpr unsigned kTimeoutMs = 300;  // in place of the 14 s that pam sets: the same thing happens, earlier

int port_of(int fd, int (*name)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (name(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);  // at the same place in both families
}

// The socket of this process whose peer has `port`: pam's end of our connection.
int socket_to(int port) {
  int found = -1;
  DIR* list = opendir("/proc/self/fd");
  while (const dirent* entry = list == nullptr ? nullptr : readdir(list))
    if (const int fd = std::atoi(entry->d_name); fd > 2 && port_of(fd, getpeername) == port) found = fd;
  if (list != nullptr) closedir(list);
  return found;
}

class PamStarters : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto port = starters_.listen();
    ASSERT_TRUE(port) << port.error().text;
    port_ = *port;
    ASSERT_NO_FATAL_FAILURE(knock());
    tell_registration();
    turn_until([&] { return registered_.has_value(); });
    ASSERT_TRUE(registered_) << "pam has taken the registration";
    pams_end_ = socket_to(port_of(starter_.get(), getsockname));
    ASSERT_GE(pams_end_, 0);
  }

  // A new TaskStarter, to which pam has proved itself.
  void knock() {
    channel_ = io::SecureChannel::starter(key_, io::random_nonce());
    starter_ = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int least = 1;  // the kernel makes it its own least: it is soon full
    setsockopt(starter_.get(), SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(starter_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    tell(channel_.start());
    while (!channel_.open()) ASSERT_NO_FATAL_FAILURE(answer());
  }
  void tell_registration() {
    wire::FromStarter registration;
    registration.mutable_registration()->set_task_pid(1);
    tell(std::exchange(out_, {}) + channel_.seal(registration.SerializeAsString()));
  }
  void tell(const std::string& bytes) {
    ASSERT_EQ(send(starter_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void answer() {
    pollfd readable{starter_.get(), POLLIN, 0};
    turn_until([&] { return poll(&readable, 1, 0) == 1; });
    char bytes[1024];
    const ssize_t size = recv(starter_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    ASSERT_GT(size, 0) << "pam's part of the handshake";
    const auto nothing = [](std::string_view) { return Result<void>(); };
    ASSERT_TRUE(channel_.feed({bytes, static_cast<std::size_t>(size)}, out_, nothing));
  }

  template <class Condition>
  void turn_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      loop_.run_for(std::chrono::milliseconds(5));
      loop_.restart();
    }
  }

  static wire::FromPam signal_message() {
    wire::FromPam message;
    message.mutable_deliver_signal()->set_signo(SIGUSR1);
    return message;
  }
  // pam sends more than the starter's kernel takes, but not more than its own keeps for it.
  void send_until_full() {
    for (int i = 0; i < 1000; ++i) starters_.send(*registered_, signal_message());
  }

  io::Key key_{};
  boost::asio::io_context loop_{1};
  std::optional<ConnectionId> registered_;
  std::optional<bool> closed_;  // whether by a cut
  std::string said_;
  Starters starters_{loop_,
                     key_,
                     {[this](ConnectionId id, const wire::FromStarter&) { registered_ = id; },
                      [this](ConnectionId, bool cut) { closed_ = cut; },
                      [this](const std::string& line) { said_ += line + "\n"; }}};
  io::Descriptor starter_;
  io::SecureChannel channel_ = io::SecureChannel::starter(key_, io::random_nonce());
  std::string out_;
  std::uint16_t port_ = 0;
  int pams_end_ = -1;
};

// docs/protocol.md, Liveness; TaskStarter's end is held to the same in taskstarter_link_test.
TEST_F(PamStarters, TheKernelWatchesTheLink) {
  const auto option = [this](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    getsockopt(pams_end_, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 6);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 3);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 14'000);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
}

// As after pam was stopped for a while: its clock and what came meanwhile are there at once.
TEST_F(PamStarters, AProofThatHasComeCountsThoughItsTimeIsUp) {
  knock();
  tell_registration();
  registered_.reset();
  starters_.expire(TimePoint{std::chrono::hours(1)});
  EXPECT_TRUE(registered_);
  EXPECT_EQ(said_, "");
}

TEST_F(PamStarters, AWriteThatFindsTheLinkCutMeansACut) {
  ASSERT_EQ(setsockopt(pams_end_, IPPROTO_TCP, TCP_USER_TIMEOUT, &kTimeoutMs, sizeof kTimeoutMs), 0);
  send_until_full();
  pollfd failed{pams_end_, 0, 0};
  ASSERT_EQ(poll(&failed, 1, kPatienceMs), 1) << "the kernel to give the connection up";
  ASSERT_NE(failed.revents & POLLERR, 0);
  starters_.send(*registered_,
                 signal_message());  // before pam's loop has seen anything: this takes the error
  int left = -1;
  socklen_t size = sizeof left;
  ASSERT_EQ(getsockopt(pams_end_, SOL_SOCKET, SO_ERROR, &left, &size), 0);
  ASSERT_EQ(left, 0) << "the write has taken it: reading finds an end without one";
  turn_until([&] { return closed_.has_value(); });
  ASSERT_TRUE(closed_) << "pam has noticed";
  EXPECT_TRUE(*closed_) << "that the network did it";
  EXPECT_EQ(said_, "");
}

TEST_F(PamStarters, AReadThatFindsTheLinkCutMeansACut) {
  ASSERT_EQ(setsockopt(pams_end_, IPPROTO_TCP, TCP_USER_TIMEOUT, &kTimeoutMs, sizeof kTimeoutMs), 0);
  send_until_full();
  turn_until([&] { return closed_.has_value(); });
  ASSERT_TRUE(closed_) << "pam has noticed";
  EXPECT_TRUE(*closed_);
}

TEST_F(PamStarters, AWriteToAStarterThatHasDiedMeansNone) {
  const linger at_once{1, 0};
  setsockopt(starter_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  starter_.reset();  // a reset, as of a process that was killed with words unread
  pollfd failed{pams_end_, 0, 0};
  ASSERT_EQ(poll(&failed, 1, kPatienceMs), 1) << "the reset to arrive";
  starters_.send(*registered_, signal_message());
  turn_until([&] { return closed_.has_value(); });
  ASSERT_TRUE(closed_) << "pam has noticed";
  EXPECT_FALSE(*closed_) << "the peer did it";
}

}  // namespace
}  // namespace rollcall::pam
