// pam and the relays of a job's hosts: many TaskStarters in one conversation, and strangers who say that they are a relay.
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
#include "common/wire/frame.hpp"
#include "common/wire/relay_items.hpp"
#include "pam/starters.hpp"

namespace rollcall::pam {
namespace {

using ::testing::HasSubstr;
using wire::TaskNumber;

class PamRelays : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto port = starters_.listen();
    ASSERT_TRUE(port) << port.error().text;
    port_ = *port;
    socket_ = io::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }

  void tell(const std::string& bytes) {
    ASSERT_EQ(send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void greet() {
    std::string hello;
    wire::append_frame(hello, wire::kRelayHello);
    tell(hello);
  }
  // A relay that has the key.
  void prove() { prove(io::relay_key(key_, port_)); }
  void prove(const io::Key& key) {
    greet();
    talk_ = io::SecureChannel::starter(key, io::random_nonce());
    tell(talk_->start());
  }
  void joined() {
    prove();
    ASSERT_TRUE(turn_until([&] { return talk_->open(); }));
  }
  void say(const std::string& items) { tell(talk_->seal(items)); }
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
  // What has come.
  void exchange() {
    char bytes[65536];
    ssize_t size = 0;
    while (talk_ && (size = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
      std::string answer;
      const auto fed =
          talk_->feed({bytes, static_cast<std::size_t>(size)}, answer, [&](std::string_view payload) {
            ++records_;
            take(payload);
            return Result<void>{};
          });
      refused_ |= !fed;
      if (!fed) talk_.reset();
      tell(answer);
    }
  }
  void take(std::string_view payload) {
    while (!payload.empty()) {
      const auto item = wire::take_item(payload);
      ASSERT_TRUE(item) << item.error().text;
      for (TaskNumber task = item->first; task <= item->last; ++task) {
        if (item->kind == wire::RelayItem::Kind::end) {
          ended_.insert(task);
          continue;
        }
        heard_[task].emplace_back().ParseFromArray(item->message.data(),
                                                   static_cast<int>(item->message.size()));
      }
      ++items_;
    }
  }

  static std::string registration(TaskNumber task) {
    wire::FromStarter message;
    message.mutable_registration()->set_task_pid(static_cast<int>(task));
    std::string items;
    wire::append_task_message(items, task, message.SerializeAsString());
    return items;
  }
  static std::string end_of(TaskNumber task) {
    std::string items;
    wire::append_task_end(items, task);
    return items;
  }
  void register_tasks(TaskNumber last) {
    std::string items;
    for (TaskNumber task = 1; task <= last; ++task) items += registration(task);
    say(items);
    ASSERT_TRUE(registered(last));
  }
  bool registered(TaskNumber task) {
    return turn_until([&] { return registered_.contains(static_cast<int>(task)); });
  }
  static wire::FromPam signal() {
    wire::FromPam message;
    message.mutable_deliver_signal()->set_signo(SIGUSR1);
    return message;
  }

  io::Key key_{};
  std::uint16_t port_ = 0;
  boost::asio::io_context loop_{1};
  std::map<int, ConnectionId> registered_;  // by the PID, which is the task's number
  std::map<ConnectionId, bool> closed_;
  std::string said_;
  Starters starters_{
      loop_,
      key_,
      {[this](ConnectionId id, const wire::FromStarter& m) { registered_[m.registration().task_pid()] = id; },
       [this](ConnectionId id, bool cut) { closed_[id] = cut; },
       [this](const std::string& line) { said_ += line + "\n"; }}};
  io::Descriptor socket_;
  std::optional<io::SecureChannel> talk_;
  bool refused_ = false;
  int records_ = 0, items_ = 0;
  std::map<TaskNumber, std::vector<wire::FromPam>> heard_;
  std::set<TaskNumber> ended_;
};

TEST_F(PamRelays, ManyTaskStartersShareAConversation) {
  joined();
  register_tasks(50);
  starters_.send(registered_[7], signal());
  ASSERT_TRUE(turn_until([&] { return heard_.contains(7); }));
  EXPECT_EQ(heard_[7][0].deliver_signal().signo(), SIGUSR1);
  EXPECT_EQ(heard_.size(), 1U);
  EXPECT_EQ(said_, "");
}

// A stopped pam writes nothing, so what is sent must have left when the call returns.
TEST_F(PamRelays, AMessageToAllReachesEveryTaskStarterAtOnceAndIsSaidOnce) {
  joined();
  register_tasks(50);
  std::vector<ConnectionId> all;
  for (TaskNumber task = 1; task <= 50; ++task) all.push_back(registered_[static_cast<int>(task)]);
  all.push_back(all.back() + 1000);  // one that is gone
  starters_.send_all(all, signal());
  exchange();
  EXPECT_EQ(heard_.size(), 50U);
  for (TaskNumber task = 1; task <= 50; ++task) EXPECT_EQ(heard_[task].size(), 1U) << task;
  EXPECT_EQ(items_, 1);
}

TEST_F(PamRelays, AMessageToSomeReachesNoOther) {
  joined();
  register_tasks(10);
  say(end_of(4));
  ASSERT_TRUE(turn_until([&] { return closed_.contains(registered_[4]); }));
  std::vector<ConnectionId> some;
  for (const int task : {9, 1, 3, 5, 6}) some.push_back(registered_[task]);
  starters_.send_all(some, signal());
  exchange();
  for (const TaskNumber task : {1, 3, 5, 6, 9}) EXPECT_EQ(heard_[task].size(), 1U) << task;
  for (const TaskNumber task : {2, 7, 8, 10}) EXPECT_EQ(heard_.count(task), 0U) << task;
  EXPECT_EQ(items_, 3) << "1, 3 to 6 past the one that has ended, and 9";
}

TEST_F(PamRelays, OneThatLeavesHasEndedAndTheOthersHaveNot) {
  joined();
  register_tasks(2);
  say(end_of(1));
  ASSERT_TRUE(turn_until([&] { return closed_.contains(registered_[1]); }));
  EXPECT_FALSE(closed_[registered_[1]]) << "the TaskStarter did it, not the network";
  EXPECT_FALSE(closed_.contains(registered_[2]));
  starters_.close(registered_[2]);
  EXPECT_TRUE(turn_until([&] { return ended_.contains(2); }));
  say(registration(2) + end_of(2));
  say(registration(3));
  ASSERT_TRUE(registered(3));
  EXPECT_FALSE(closed_.contains(registered_[2])) << "pam gets no event of a task that it ended itself";
}

TEST_F(PamRelays, ARelayThatIsGoneIsACutOfAllItsTaskStarters) {
  joined();
  register_tasks(3);
  say(end_of(2));
  ASSERT_TRUE(turn_until([&] { return closed_.size() == 1; }));
  talk_.reset();
  socket_.reset();
  ASSERT_TRUE(turn_until([&] { return closed_.size() == 3; }));
  EXPECT_FALSE(closed_[registered_[1]] || closed_[registered_[3]]) << "the network did not do it";
  EXPECT_EQ(said_, "the relay of 2 tasks at 127.0.0.1 is gone: what lives of them connects by itself\n");
}

TEST_F(PamRelays, ARelayWhoseTasksHaveEndedLeavesWithoutALine) {
  joined();
  register_tasks(2);
  say(end_of(1) + end_of(2));
  ASSERT_TRUE(turn_until([&] { return closed_.size() == 2; }));
  talk_.reset();
  socket_.reset();
  turn_until([&, turns = 0]() mutable { return ++turns > 20; });
  EXPECT_EQ(said_, "");
}

TEST_F(PamRelays, WithoutTheKeyOfRelaysItIsRefused) {
  prove(key_);  // the user's is another one
  ASSERT_TRUE(turn_until([&] { return refused_; })) << "pam proves itself with the relays' key";
  socket_.reset();
  ASSERT_TRUE(turn_until([&] { return true; }));
  EXPECT_TRUE(registered_.empty());
}

TEST_F(PamRelays, OneWithoutAProofIsGoneWhenItsTimeIsOver) {
  greet();
  turn_until([&, turns = 0]() mutable { return ++turns > 5; });
  starters_.expire(TimePoint{kHandshakeTime * 2});
  EXPECT_TRUE(ended());
  EXPECT_THAT(said_, HasSubstr("refused a connection from 127.0.0.1"));
}

TEST_F(PamRelays, UnknownPeerIsRefused) {
  tell(std::string("\0\0\0\x11rollcall relay v9", 21));
  EXPECT_TRUE(ended());
  EXPECT_THAT(said_, HasSubstr("neither a TaskStarter nor a relay"));
}

TEST_F(PamRelays, ARelayOfAnOlderReleaseIsRefused) {
  tell(std::string("\0\0\0\x14rollcall channels v1", 24));
  EXPECT_TRUE(ended());
  EXPECT_THAT(said_, HasSubstr("nor a relay of this release"));
}

TEST_F(PamRelays, InvalidItemEndsTheConversation) {
  joined();
  register_tasks(2);
  say("\11\0\0\0\1");
  EXPECT_TRUE(turn_until([&] { return closed_.size() == 2; }));
  EXPECT_THAT(said_, HasSubstr("kind 9"));
}

TEST_F(PamRelays, TaskOutOfOrderEndsTheConversation) {
  joined();
  register_tasks(1);
  say(registration(3));
  EXPECT_TRUE(turn_until([&] { return closed_.size() == 1; }));
  EXPECT_THAT(said_, HasSubstr("found task 3, expected 2"));
  EXPECT_FALSE(registered_.contains(3));
}

TEST_F(PamRelays, InvalidMessageEndsItsTaskAlone) {
  joined();
  register_tasks(2);
  std::string items;
  wire::append_task_message(items, 1, "\xff\xff\xff");
  say(items);
  EXPECT_TRUE(turn_until([&] { return ended_.contains(1); }));
  EXPECT_TRUE(closed_.contains(registered_[1]));
  EXPECT_THAT(said_, HasSubstr("expected FromStarter"));
  say(registration(3));
  EXPECT_TRUE(registered(3));
  EXPECT_EQ(closed_.size(), 1U);
}

}  // namespace
}  // namespace rollcall::pam
