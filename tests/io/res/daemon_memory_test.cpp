// RES and LIM under an address-space limit: a message that needs more memory than there is costs its sender the connection. The
// daemon lives and serves the next client.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "common/io/cluster_key.hpp"
#include "common/io/spawn.hpp"
#include "common/wire/request_parts.hpp"
#include "tests/io/common/raw_peer.hpp"
#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMb = 1 << 20;

class DaemonMemory : public ResStage {
 protected:
  ~DaemonMemory() override {
    if (lim_ > 0) {
      kill(lim_, SIGKILL);
      waitpid(lim_, nullptr, 0);
    }
  }
  std::unique_ptr<io::RawPeer> as_daemon(int port) const {
    return std::make_unique<io::RawPeer>(port, io::ClusterChannel::dial_as_daemon(key_, io::random_seed()));
  }
  static std::size_t virtual_bytes(pid_t pid) {
    std::size_t pages = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  // Soft: it can be taken back.
  static void set_limit(pid_t pid, std::size_t more) {
    rlimit limit{virtual_bytes(pid) + more, RLIM_INFINITY};
    ASSERT_EQ(prlimit(pid, RLIMIT_AS, &limit, nullptr), 0);
  }
  void start_lim(int port) {
    configure("LSF_LIM_PORT=" + std::to_string(port));
    io::SpawnPlan plan;
    sigemptyset(&plan.mask);
    plan.argv = {ROLLCALL_LIM, "-d", directory_};
    plan.environment = {"PATH=/usr/bin:/bin"};
    const int log = ::open(path("lim.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    plan.descriptors = {{log, 2}};
    const auto started = io::spawn(plan);
    close(log);
    ASSERT_TRUE(std::holds_alternative<pid_t>(started));
    lim_ = std::get<pid_t>(started);
    wait_until("LIM listens", [&] { return as_daemon(port)->open(); });
  }
  // What these peers send, and do not end, needs far more memory than there is: the daemon closes some.
  void meet_the_limit(pid_t pid, const std::string& log,
                      const std::function<std::unique_ptr<io::RawPeer>()>& peer) {
    set_limit(pid, 4 * kMb);
    std::vector<std::unique_ptr<io::RawPeer>> peers;
    for (int i = 0; i < 40; ++i) peers.push_back(peer());
    wait_until("the daemon closes a connection for want of memory", [&] {
      return std::any_of(peers.begin(), peers.end(), [](const auto& one) { return one->ended(); });
    });
    EXPECT_THAT(text(log), HasSubstr("no memory"));
    EXPECT_TRUE(lives(pid));
  }
  pid_t lim_ = -1;
};

TEST_F(DaemonMemory, ResClosesConnectionsThatNeedMoreMemoryAndRunsTheNextJob) {
  start_res();
  wait_for_hello();
  wire::ToResFromClient part;
  part.set_part(std::string(60'000, 'p'));
  meet_the_limit(res_, "log", [&] {
    auto peer =
        std::make_unique<io::RawPeer>(res_port_, io::ClusterChannel::dial_as_owner(key_, io::random_seed()));
    for (std::size_t sent = 0; peer->open() && sent + 60'000 < wire::kMostRequest; sent += 60'000)
      peer->say(part.SerializeAsString());
    return peer;
  });
  const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  ASSERT_EQ(prlimit(res_, RLIMIT_AS, &none, nullptr), 0);
  wait_until("RES is connected to mbatchd", [&] { return link_ != 0; });
  start(job("echo ran"));
  EXPECT_EQ(wait_for_over().exit_status(), 0);
}

TEST_F(DaemonMemory, LimClosesConnectionsThatNeedMoreMemoryAndTakesTheNext) {
  const int port = res_port_ + 1;
  start_lim(port);
  meet_the_limit(lim_, "lim.log", [&] {
    auto peer = as_daemon(port);
    if (peer->open()) peer->say_half();
    return peer;
  });
  wait_until("LIM takes the next connection", [&] { return as_daemon(port)->open(); });
}

}  // namespace
}  // namespace rollcall::res::test
