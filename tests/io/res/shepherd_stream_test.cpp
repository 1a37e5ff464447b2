// A client's stream at the shepherd's end (res/shepherd/stream.hpp), without a shepherd.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "res/shepherd/stream.hpp"
#include "tests/io/common/silent_crowd.hpp"

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

// A client that proves its key, in turns with the stream.
class Prover {
 public:
  explicit Prover(std::uint16_t port) : socket_(connect_to(port)) {
    io::Key key{};
    key.fill('k');
    channel_.emplace(io::SecureChannel::starter(key, io::random_nonce()));
    put(channel_->start());
  }
  void prove(Stream& stream, TimePoint now) {
    while (!channel_->open() && !testing::Test::HasFatalFailure()) {
      stream.turn(polled(stream), now);
      take();
    }
  }
  void begin(bool input = false) {
    wire::ToStream message;
    message.mutable_begin()->set_credit(1000);
    message.mutable_begin()->set_input(input);
    say(message);
  }
  void say(const wire::ToStream& message) { put(channel_->seal(message.SerializeAsString())); }
  void hang_up() { socket_.reset(); }
  // What it is told next.
  wire::FromStream hear() {
    heard_.Clear();
    while (heard_.message_case() == wire::FromStream::MESSAGE_NOT_SET && !testing::Test::HasFatalFailure())
      take();
    return heard_;
  }

 private:
  void put(const std::string& bytes) {
    EXPECT_EQ(send(socket_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  void take() {
    char room[4096];
    pollfd ready{socket_.get(), POLLIN, 0};
    const int some = poll(&ready, 1, 10);
    const ssize_t size = some > 0 ? recv(socket_.get(), room, sizeof room, MSG_DONTWAIT) : -1;
    ASSERT_TRUE(size != 0) << "the stream has hung up";
    std::string answer;
    if (size > 0) {
      ASSERT_TRUE(channel_->feed(
          {room, static_cast<std::size_t>(size)}, answer, [this](std::string_view payload) -> Result<void> {
            EXPECT_TRUE(heard_.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
            return {};
          }));
    }
    if (!answer.empty()) put(answer);
  }

  io::Descriptor socket_;
  std::optional<io::SecureChannel> channel_;
  wire::FromStream heard_;
};

TEST(ShepherdStream, CrowdThatSaysNothingKeepsNoClientOut) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be another user";
  const TimePoint now{1000s};
  auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
  ASSERT_TRUE(made) << made.error().text;
  Stream& stream = **made;
  const auto crowd = test::silent_crowd(stream.port(), 400);
  Prover client(stream.port());
  client.prove(stream, now);  // in no time: none of the crowd has had its two seconds
  EXPECT_GE(test::closed_of(crowd), 400 - 192) << "one user has a share";
  client.begin();
  while (!stream.wanted()) stream.turn(polled(stream), now);
}

TEST(ShepherdStream, EndsAtOnceWhereTheJobDoesNotStart) {
  const TimePoint now{1000s};
  auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
  ASSERT_TRUE(made) << made.error().text;
  Stream& stream = **made;
  EXPECT_EQ(*stream.next_deadline(), now + 60s);
  stream.nothing_starts(now);
  EXPECT_TRUE(stream.done());
}

TEST(ShepherdStream, ClientThatProvedItsKeyMustBegin) {
  const TimePoint now{1000s};
  auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
  ASSERT_TRUE(made) << made.error().text;
  Stream& stream = **made;
  Prover client(stream.port());
  client.prove(stream, now);
  stream.turn({}, now + 59s);
  EXPECT_FALSE(stream.done());
  EXPECT_EQ(*stream.next_deadline(), now + 60s);
  stream.turn({}, now + 60s);
  EXPECT_TRUE(stream.done());
  EXPECT_FALSE(stream.lost()) << "no process runs that would have to be ended";
}

TEST(ShepherdStream, ConnectedClientIsToldThatTheJobDoesNotStart) {
  const TimePoint now{1000s};
  auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
  ASSERT_TRUE(made) << made.error().text;
  Stream& stream = **made;
  Prover client(stream.port());
  client.prove(stream, now);
  stream.nothing_starts(now);
  EXPECT_EQ(*stream.next_deadline(), now + 2s);
  client.begin();
  while (!stream.wanted()) {
    ASSERT_FALSE(stream.done()) << "it was not waited for";
    stream.turn(polled(stream), now + 1s);
  }
  stream.not_started("the job is over", 127);
  stream.turn({}, now + 1s);
  EXPECT_EQ(client.hear().not_started().why(), "the job is over");
  stream.turn({}, now + 4s);
  EXPECT_TRUE(stream.done());
}

// A stream whose process runs: its ends are the test's.
struct Running {
  explicit Running(bool elsewhere) {
    auto made = Stream::expect(std::string(32, 'k'), false, now + 60s);
    EXPECT_TRUE(made) << made.error().text;
    stream = std::move(*made);
    if (elsewhere) stream->outlive_link();
    client.emplace(stream->port());
    client->prove(*stream, now);
    client->begin(true);
    while (!stream->wanted()) stream->turn(polled(*stream), now);
    auto had = stream->ends();
    EXPECT_TRUE(had) << had.error().text;
    ends = std::move(*had);
    stream->started(77);
  }
  // Turns until it holds.
  template <class Holds>
  void turn_until(const Holds& holds) {
    bool held = holds();
    for (int turns = 0; !held && turns < 1000; ++turns) {
      stream->turn(polled(*stream), now);
      held = holds();
    }
    ASSERT_TRUE(held);
  }
  void write(const std::string& bytes) const {
    EXPECT_EQ(::write(ends.output.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  const TimePoint now{1000s};
  std::unique_ptr<Stream> stream;
  std::optional<Prover> client;
  StreamEnds ends;
};

TEST(ShepherdStream, EndsTheProcessOfAClientThatIsLost) {
  Running running(false);
  running.client->hang_up();
  bool lost = false;
  running.turn_until([&] { return lost = lost || running.stream->lost(); });
  EXPECT_TRUE(running.stream->done());
}

TEST(ShepherdStream, KeepsTheProcessOfAClientElsewhereWhoseLinkIsCut) {
  Running running(true);
  wire::ToStream typed;
  typed.set_input("typed before");
  running.client->say(typed);
  running.client->hang_up();
  char room[64] = {};
  ssize_t size = 0;
  const int input = running.ends.input.get();
  fcntl(input, F_SETFL, O_NONBLOCK);
  running.turn_until([&] { return (size = read(input, room, sizeof room)) > 0; });
  EXPECT_EQ(std::string(room, static_cast<std::size_t>(size)), "typed before");
  // Ten times the credit and the pipe: it is read and dropped.
  for (int i = 0; i < 100; ++i) {
    running.write(std::string(10'000, 'x'));
    running.stream->turn(polled(*running.stream), running.now);
  }
  EXPECT_FALSE(running.stream->lost());
  EXPECT_FALSE(running.stream->done());
  EXPECT_EQ(read(input, room, sizeof room), -1)
      << "an end would look like the end of what the client had to say";
  running.stream->ended(0, {}, 0, running.now);
  running.ends = {};
  running.turn_until([&] { return running.stream->done(); });
  EXPECT_FALSE(running.stream->lost());
}

TEST(ShepherdStream, EndsTheProcessOfAClientElsewhereThatIsGone) {
  Running running(true);
  wire::ToStream message;
  message.mutable_gone();
  running.client->say(message);
  bool lost = false;
  running.turn_until([&] { return lost = lost || running.stream->lost(); });
  EXPECT_TRUE(running.stream->done());
}

}  // namespace
}  // namespace rollcall::res
