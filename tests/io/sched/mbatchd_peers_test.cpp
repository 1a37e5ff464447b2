// mbatchd that knows another cluster's key (tests/programs/mbatchd_with_peer.cpp): that cluster's daemons are known by name, and
// have neither the rights of our own cluster's daemons nor those of clients.
#include "common/io/cluster_keys.hpp"
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

io::ClusterKey key_of(std::uint8_t value) {
  io::ClusterKey key;
  key.secret.fill(value);
  key.public_half = io::cluster::public_half(io::cluster::exchange_scalar(key.secret));
  return key;
}

class Peers : public Stage {
 protected:
  std::unique_ptr<Talk> naming(const io::ClusterKey& key) const {
    return std::make_unique<Talk>(port_, io::ClusterChannel::dial_naming_key(key, io::random_seed()));
  }
  const io::ClusterKey east_ = key_of(0x51);
};

TEST_F(Peers, MessageOfAPeerIsNoResOfOurs) {
  expect_started();
  const auto peer = naming(east_);
  ASSERT_TRUE(peer->open()) << "it has proved itself";
  wire::FromRes hello;
  hello.mutable_hello()->set_host(host_);
  hello.mutable_hello()->set_run(std::string(16, 'r'));
  wire::ToMbatchd message;
  message.set_engine(hello.SerializeAsString());
  peer->say(message);
  EXPECT_FALSE(peer->hear());
  EXPECT_TRUE(peer->ended());
  EXPECT_THAT(log(), HasSubstr("closed a connection of east from 127.0.0.1"));
  EXPECT_THAT(log(), Not(HasSubstr("RES of " + host_ + " is connected")));
}

TEST_F(Peers, RequestOfAPeerIsNotAnswered) {
  expect_started();
  const auto peer = naming(east_);
  ASSERT_TRUE(peer->open());
  wire::ToMbatchd message;
  *message.mutable_request() = submit_request();
  peer->say(message);
  EXPECT_FALSE(peer->hear());
  EXPECT_TRUE(peer->ended());
  EXPECT_EQ(submit(), 1) << "no job was submitted before";
}

TEST_F(Peers, UnknownKeyIsRefused) {
  expect_started();
  const auto stranger = naming(key_of(0x66));
  EXPECT_FALSE(stranger->open());
  EXPECT_TRUE(stranger->ended());
  EXPECT_THAT(log(), HasSubstr("a call that names a key which this daemon does not have"));
}

TEST_F(Peers, DaemonsOfOurClusterConnectAsBefore) {
  expect_started();
  const auto daemon = res(host_);
  const int id = submit();
  daemon->serve(kPatience, [&] { return status(id) == wire::STATUS_DONE; });
  EXPECT_EQ(status(id), wire::STATUS_DONE);
  EXPECT_TRUE(naming(key_)->open()) << "a daemon of ours that names our key";
}

}  // namespace
}  // namespace rollcall::mbatchd::test
