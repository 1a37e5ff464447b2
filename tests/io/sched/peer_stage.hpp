// The stage for tests of mbatchd with masters of other clusters, which the test plays: the clusters east, whose key mbatchd has, and north.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "common/io/peer_keys.hpp"
#include "common/wire/peer.pb.h"
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {

inline constexpr const char* kPeerShared = R"(Begin Cluster
ClusterName
test
east
north
End Cluster
Begin HostType
TYPENAME
X86_64
End HostType
Begin HostModel
MODELNAME CPUFACTOR ARCHITECTURE
PC 1.0 ()
End HostModel
)";

class PeerStage : public Stage {
 protected:
  PeerStage() {
    write("lsf.shared", kPeerShared);
    keys_ = directory_ + "/peers";
    std::filesystem::create_directory(keys_);
    chmod(keys_.c_str(), 0700);
    write_key("east", east_);
    write_conf();
    // Who runs the tests may be root, whose jobs cross only as an account that UserMap gives.
    write("lsbatch/test/configdir/lsb.users",
          "Begin UserMap\nLOCAL REMOTE DIRECTION\nroot (eve@east eve@north) export\nEnd UserMap\n");
  }
  void write_conf(const std::string& peers = "east=none north=none") const {
    write_lsf_conf("ROLLCALL_PEER_KEYS=" + keys_ + "\nROLLCALL_PEERS=\"" + peers + "\"\n");
  }
  void write_key(const std::string& file, const io::Seed& secret) const {
    std::ofstream out(keys_ + "/" + file);
    for (const auto byte : secret) out << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
    out << "\n";
    out.close();
    chmod((keys_ + "/" + file).c_str(), 0600);
  }
  static io::Seed secret(std::uint8_t value) {
    io::Seed bytes;
    bytes.fill(value);
    bytes[7] = 3;
    return bytes;
  }
  std::unique_ptr<Talk> call(const std::string& from = "east", const std::string& to = "test") const {
    return call_with(east_, from, to);
  }
  std::unique_ptr<Talk> call_with(const io::Seed& secret, const std::string& from,
                                  const std::string& to = "test") const {
    return std::make_unique<Talk>(port_, io::ClusterChannel::dial_naming_key(
                                             io::key_of_direction(secret, from, to), io::random_seed()));
  }
  static wire::PeerMessage hello(std::uint64_t term = 5, char store = 'e',
                                 const std::string& cluster = "east") {
    wire::PeerMessage message;
    message.set_number(1);
    message.mutable_hello()->set_cluster(cluster);
    message.mutable_hello()->set_store(std::string(16, store));
    message.mutable_hello()->set_term(term);
    message.mutable_hello()->set_run(std::string(16, static_cast<char>('a' + term % 26)));
    message.mutable_hello()->set_version("1");
    return message;
  }
  // The next message; what mbatchd tells of forwarded jobs by itself is passed over.
  static std::optional<wire::PeerMessage> hear(Talk& talk) {
    while (const auto payload = talk.hear_payload()) {
      wire::PeerMessage message;
      if (!message.ParseFromString(*payload)) return std::nullopt;
      if (!message.has_held() && !message.has_figures() && !message.has_applications() &&
          !message.has_definitions() && !message.has_leases_told() && !message.has_lease_loads())
        return message;
    }
    return std::nullopt;
  }
  static void say(Talk& talk, const wire::PeerMessage& message) {
    talk.say_payload(message.SerializeAsString());
  }
  // True: it answers a ping, so it serves.
  static bool serves(Talk& talk) {
    wire::PeerMessage ping;
    ping.mutable_ping();
    say(talk, ping);
    while (const auto answer = hear(talk))
      if (answer->has_pong()) return true;
    return false;
  }
  // Greets and is greeted; what mbatchd said, and whether it serves then.
  std::unique_ptr<Talk> connect(std::uint64_t term = 5, char store = 'e') const {
    auto talk = call();
    EXPECT_TRUE(talk->open()) << log();
    said_ = hear(*talk).value_or(wire::PeerMessage());
    say(*talk, hello(term, store));
    return talk;
  }
  using Stage::status;
  std::string status() const {
    wire::BatchRequest request;
    request.mutable_control()->set_action(wire::ControlBatch::SHOW_STATUS);
    return ask(request).text();
  }
  wire::BatchReply forget(const std::string& cluster) const {
    wire::BatchRequest request;
    request.mutable_control()->set_action(wire::ControlBatch::FORGET_CLUSTERS);
    request.mutable_control()->add_names(cluster);
    return ask(request);
  }

  const io::Seed east_ = secret(0x51);
  std::string keys_;
  mutable wire::PeerMessage said_;
};

}  // namespace rollcall::mbatchd::test
