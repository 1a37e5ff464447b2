// More connections than pam has room for: strangers who say nothing, and TaskStarters, who are told to wait.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <vector>

#include "common/io/descriptor.hpp"
#include "common/io/wait_answer.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/relay_items.hpp"
#include "pam/starters.hpp"
#include "tests/io/common/silent_crowd.hpp"

namespace rollcall::pam {
namespace {

constexpr int kCrowdPatienceMs = 20'000;

TEST(PamStartersCrowd, AnotherUsersSilentConnectionsHaveAShare) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  const rlimit few{800, 800};  // stays: even root may be unable to get the old hard limit back
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  boost::asio::io_context loop{1};
  Starters starters(
      loop, io::Key{},
      {[](ConnectionId, const wire::FromStarter&) {}, [](ConnectionId, bool) {}, [](const std::string&) {}});
  const auto port = starters.listen();
  ASSERT_TRUE(port) << port.error().text;
  const auto crowd = test::silent_crowd(*port, 300);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kCrowdPatienceMs);
  while (test::closed_of(crowd) < 100 && std::chrono::steady_clock::now() < deadline) {
    loop.run_for(std::chrono::milliseconds(5));
    loop.restart();
  }
  EXPECT_EQ(test::closed_of(crowd), 100) << "of 800 descriptors a quarter is one user's";
}

// A TaskStarter, or a relay, of another process that dials, with blocking calls.
class Caller {
 public:
  enum class Answer { admitted, wait, other };

  Caller(std::uint16_t port, const io::Key& key) : key_(key) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = io::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{kCrowdPatienceMs / 1000, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) socket_ = {};
  }

  Answer dial(const std::string& before = {}) {
    auto channel = io::SecureChannel::starter(key_, io::random_nonce());
    const std::string hello = channel.start();
    std::string out;
    if (!put(before + hello)) return Answer::other;
    std::string bytes;
    const auto nothing = [](std::string_view) { return Result<void>(); };
    for (char byte = 0; recv(socket_.get(), &byte, 1, 0) == 1;) {
      bytes.push_back(byte);
      const auto first = io::first_answer(key_, hello, bytes);
      if (first.kind == io::FirstAnswer::Kind::wait) return Answer::wait;
      if (bytes.size() != 4 + 88) continue;
      if (!channel.feed(bytes, out, nothing)) return Answer::other;
      wire::FromStarter registration;
      registration.mutable_registration()->set_task_pid(1);
      std::string payload = registration.SerializeAsString();
      if (!before.empty()) {  // a relay, of one task that leaves at once
        wire::append_task_message(payload = {}, 1, registration.SerializeAsString());
        wire::append_task_end(payload, 1);
      }
      return put(out + channel.seal(payload)) ? Answer::admitted : Answer::other;
    }
    return Answer::other;
  }

 private:
  bool put(const std::string& bytes) {
    return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  io::Key key_;
  io::Descriptor socket_;
};

// What the callers of another process see of a pam that has 128 descriptors: the exit code says where it went wrong, 0: nowhere.
int callers_of_a_full_pam(std::uint16_t port) {
  using Answer = Caller::Answer;
  std::vector<Caller> admitted;
  int waits = 0;
  for (int i = 0; i < 300; ++i) {
    Caller caller(port, io::Key{});
    switch (caller.dial()) {
      case Answer::admitted:
        admitted.push_back(std::move(caller));
        break;
      case Answer::wait:
        ++waits;
        break;
      case Answer::other:
        return 1;
    }
  }
  if (admitted.size() < 64 || waits + admitted.size() != 300) return 2;
  if (Caller(port, io::Key{}).dial() != Answer::wait) return 3;
  std::string relays_hello;
  wire::append_frame(relays_hello, wire::kRelayHello);
  if (Caller(port, io::relay_key(io::Key{}, port)).dial(relays_hello) != Answer::admitted) return 4;
  admitted.pop_back();
  for (int i = 0; i < 1000; ++i)  // pam sees the end a moment later
    if (Caller(port, io::Key{}).dial() == Answer::admitted) return 0;
  return 5;
}

TEST(PamStartersCrowd, AFullPamTellsTaskStartersToWaitAndTakesRelays) {
  const rlimit few{128, 128};  // stays
  boost::asio::io_context loop{1};
  int ports[2];
  ASSERT_EQ(pipe(ports), 0);
  const pid_t callers = fork();
  if (callers == 0) {
    std::uint16_t port = 0;
    _exit(read(ports[0], &port, sizeof port) == sizeof port ? callers_of_a_full_pam(port) : 9);
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::string said;
  std::size_t registered = 0;
  Starters starters(loop, io::Key{},
                    {[&](ConnectionId, const wire::FromStarter&) { ++registered; }, [](ConnectionId, bool) {},
                     [&](const std::string& line) { said += line + "\n"; }});
  const auto port = starters.listen();
  ASSERT_TRUE(port) << port.error().text;
  ASSERT_EQ(write(ports[1], &*port, sizeof *port), static_cast<ssize_t>(sizeof *port));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(kCrowdPatienceMs);
  int status = -1;
  pid_t ended = 0;
  while ((ended = waitpid(callers, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < deadline) {
    loop.run_for(std::chrono::milliseconds(5));
    loop.restart();
  }
  if (ended == 0) kill(callers, SIGKILL);
  ASSERT_EQ(ended, callers) << "the callers to end";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << said;
  EXPECT_GT(starters.waiting(), 0U);
  EXPECT_EQ(said,
            "no descriptors left for further TaskStarters: they wait; raise the hard limit (ulimit -Hn)\n");
}

}  // namespace
}  // namespace rollcall::pam
