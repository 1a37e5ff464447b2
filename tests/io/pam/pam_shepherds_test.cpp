// pam and the shepherds of a job's hosts: many TaskStarters on one connection, strangers in some of them.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <map>
#include <optional>
#include <set>

#include "common/io/descriptor.hpp"
#include "common/wire/channels.hpp"
#include "pam/starters.hpp"

namespace rollcall::pam {
namespace {

using ::testing::HasSubstr;
using wire::ChannelId;

class PamShepherds : public ::testing::Test {
 protected:
  // One TaskStarter behind our shepherd.
  struct Starter {
    io::SecureChannel secure;
    std::vector<wire::FromPam> heard;
  };

  void SetUp() override {
    const auto port = starters_.listen();
    ASSERT_TRUE(port) << port.error().text;
    socket_ = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(*port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }

  void tell(const std::string& bytes) {
    ASSERT_EQ(send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void greet() {
    std::string hello;
    wire::append_frame(hello, wire::kChannelsHello);
    tell(hello);
  }
  // pam has dropped the connection.
  bool ended() {
    char byte = 0;
    return turn_until([&] { return recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0; });
  }

  template <class Condition>
  bool turn_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop_.run_for(std::chrono::milliseconds(2));
      loop_.restart();
      exchange();
    }
    return true;
  }
  // What has come, and what it makes us say.
  void exchange() {
    std::vector<wire::Channels::Event> events;
    char bytes[65536];
    for (ssize_t size; channels_on_ && (size = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
      ASSERT_TRUE(channels_.feed({bytes, static_cast<std::size_t>(size)}, events));
    for (const auto& event : events) {
      if (const auto* e = std::get_if<wire::Channels::Ended>(&event)) ended_.insert(e->channel);
      if (const auto* e = std::get_if<wire::Channels::Arrived>(&event)) arrived(*e);
    }
    if (channels_on_) tell(channels_.output(1 << 20));
  }
  void arrived(const wire::Channels::Arrived& e) {
    channels_.passed_on(e.channel, e.bytes.size());
    const auto starter = behind_.find(e.channel);
    if (starter == behind_.end()) return;
    std::string answer;
    ASSERT_TRUE(starter->second.secure.feed(e.bytes, answer, [&](std::string_view payload) -> Result<void> {
      starter->second.heard.emplace_back().ParseFromArray(payload.data(), static_cast<int>(payload.size()));
      return {};
    }));
    if (answer.empty()) return;
    wire::FromStarter registration;
    registration.mutable_registration()->set_task_pid(static_cast<int>(e.channel));
    channels_.send(e.channel, answer + starter->second.secure.seal(registration.SerializeAsString()));
  }

  ChannelId starter() {
    const ChannelId id = channels_.open();
    auto& made =
        behind_.emplace(id, Starter{io::SecureChannel::starter(key_, io::random_nonce()), {}}).first->second;
    channels_.send(id, made.secure.start());
    return id;
  }
  bool registered(ChannelId id) {
    return turn_until([&] { return registered_.contains(static_cast<int>(id)); });
  }

  io::Key key_{};
  boost::asio::io_context loop_{1};
  std::map<int, ConnectionId> registered_;  // by the PID, which is the channel
  std::map<ConnectionId, bool> closed_;
  std::string said_;
  Starters starters_{
      loop_,
      key_,
      {[this](ConnectionId id, const wire::FromStarter& m) { registered_[m.registration().task_pid()] = id; },
       [this](ConnectionId id, bool cut) { closed_[id] = cut; },
       [this](const std::string& line) { said_ += line + "\n"; }}};
  io::Descriptor socket_;
  wire::Channels channels_{wire::Channels::End::dialed};
  bool channels_on_ = true;
  std::map<ChannelId, Starter> behind_;
  std::set<ChannelId> ended_;
};

TEST_F(PamShepherds, ManyTaskStartersShareAConnection) {
  greet();
  for (int i = 0; i < 50; ++i) starter();
  for (ChannelId id = 1; id <= 50; ++id) ASSERT_TRUE(registered(id)) << id;
  wire::FromPam signal;
  signal.mutable_deliver_signal()->set_signo(SIGUSR1);
  starters_.send(registered_[7], signal);
  ASSERT_TRUE(turn_until([&] { return !behind_.at(7).heard.empty(); }));
  EXPECT_EQ(behind_.at(7).heard[0].deliver_signal().signo(), SIGUSR1);
  EXPECT_TRUE(behind_.at(8).heard.empty());
  EXPECT_EQ(said_, "");
}

// A stopped pam writes nothing, so what is sent must have left when the call returns.
TEST_F(PamShepherds, AMessageToAllReachesEveryTaskStarterAtOnce) {
  greet();
  for (int i = 0; i < 50; ++i) starter();
  std::vector<ConnectionId> all;
  for (ChannelId id = 1; id <= 50; ++id) {
    ASSERT_TRUE(registered(id)) << id;
    all.push_back(registered_[static_cast<int>(id)]);
  }
  all.push_back(all.back() + 1000);  // one that is gone
  wire::FromPam signal;
  signal.mutable_deliver_signal()->set_signo(SIGUSR1);
  starters_.send_all(all, signal);
  exchange();
  for (ChannelId id = 1; id <= 50; ++id) EXPECT_EQ(behind_.at(id).heard.size(), 1u) << id;
}

TEST_F(PamShepherds, OneThatLeavesHasEndedAndTheOthersHaveNot) {
  greet();
  const auto one = starter(), two = starter();
  ASSERT_TRUE(registered(one) && registered(two));
  channels_.close(one);
  ASSERT_TRUE(turn_until([&] { return closed_.contains(registered_[1]); }));
  EXPECT_FALSE(closed_[registered_[1]]) << "the TaskStarter did it, not the network";
  EXPECT_FALSE(closed_.contains(registered_[2]));
  starters_.close(registered_[2]);
  EXPECT_TRUE(turn_until([&] { return ended_.contains(two); }));
  EXPECT_FALSE(closed_.contains(registered_[2])) << "pam gets no event of a channel that it closed itself";
}

TEST_F(PamShepherds, AShepherdThatIsGoneIsACutOfAllItsTaskStarters) {
  greet();
  const auto one = starter(), two = starter();
  ASSERT_TRUE(registered(one) && registered(two));
  channels_on_ = false;
  socket_.reset();
  ASSERT_TRUE(turn_until([&] { return closed_.size() == 2; }));
  EXPECT_FALSE(closed_[registered_[1]] || closed_[registered_[2]]) << "the network did not do it";
  EXPECT_EQ(said_, "");
}

TEST_F(PamShepherds, AStrangerInAChannelIsRefusedAlone) {
  greet();
  const auto good = starter();
  ASSERT_TRUE(registered(good));
  const auto garbage = channels_.open(), huge = channels_.open(), silent = channels_.open();
  channels_.send(garbage, std::string("\0\0\0\x24", 4) + std::string(36, 'x'));
  channels_.send(huge, "\xff\xff\xff\xff");
  ASSERT_TRUE(turn_until([&] { return ended_.contains(garbage) && ended_.contains(huge); }));
  EXPECT_FALSE(ended_.contains(silent));
  starters_.expire(TimePoint{kHandshakeTime * 2});
  ASSERT_TRUE(turn_until([&] { return ended_.contains(silent); })) << "its time is over";
  EXPECT_FALSE(ended_.contains(good));
  EXPECT_THAT(said_, HasSubstr("refused a connection from 127.0.0.1"));
  EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << said_;
  const auto next = starter();
  EXPECT_TRUE(registered(next));
}

TEST_F(PamShepherds, ShepherdThatOpensChannelsWithoutEndGetsAShare) {
  greet();
  for (int i = 0; i < 9000; ++i) channels_.open();
  ASSERT_TRUE(turn_until([&] { return ended_.size() == 9000 - 8192; })) << ended_.size();
  EXPECT_EQ(*ended_.begin(), 8193U);
}

TEST_F(PamShepherds, OneWithoutAProofIsGoneWhenItsTimeIsOver) {
  greet();
  channels_on_ = false;
  turn_until([&, turns = 0]() mutable { return ++turns > 5; });
  starters_.expire(TimePoint{kHandshakeTime * 2});
  EXPECT_TRUE(ended());
}

TEST_F(PamShepherds, UnknownPeerIsRefused) {
  channels_on_ = false;
  tell(std::string("\0\0\0\x14rollcall channels v9", 24));
  EXPECT_TRUE(ended());
  EXPECT_THAT(said_, HasSubstr("neither a TaskStarter nor a shepherd"));
}

TEST_F(PamShepherds, InvalidPieceEndsTheConnection) {
  greet();
  const auto one = starter();
  ASSERT_TRUE(registered(one));
  channels_on_ = false;
  tell(std::string("\0\0\0\6\0\0\0\1\11x", 10));
  EXPECT_TRUE(turn_until([&] { return closed_.contains(registered_[1]); }));
  EXPECT_THAT(said_, HasSubstr("kind 9"));
}

}  // namespace
}  // namespace rollcall::pam
