// Whether a peer's address is one of the host it names, looked up beside the loop: configured and kept answers, a hanging resolver.
#include "common/io/host_claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace rollcall::io {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::ElementsAre;

// A fake resolver; it may outlive the test in its thread.
struct Resolver {
  std::vector<std::string> ask(const std::string& name) {
    std::unique_lock lock(mutex);
    ++asked;
    changed.wait(lock, [this] { return open; });
    const auto found = names.find(name);
    return found == names.end() ? std::vector<std::string>() : found->second;
  }
  void set_open(bool now) {
    const std::lock_guard lock(mutex);
    open = now;
    changed.notify_all();
  }
  int times() {
    const std::lock_guard lock(mutex);
    return asked;
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::vector<std::string>> names{{"n3", {"10.1.0.3", "10.2.0.3"}}};
  bool open = true;
  int asked = 0;
};

class Claims : public testing::Test {
 protected:
  HostClaims make(SideThread::Limits limits = {}) {
    return HostClaims(loop, limits,
                      [resolver = resolver](const std::string& name) { return resolver->ask(name); });
  }
  HostClaims::Verdict check(HostClaims& claims, const std::string& host, const std::string& from,
                            const std::vector<std::string>& configured = {}) {
    std::optional<HostClaims::Verdict> verdict;
    claims.check(host, configured, from, [&](const HostClaims::Verdict& told) { verdict = told; });
    EXPECT_FALSE(verdict) << "before the loop had its turn";
    const auto deadline = steady_clock::now() + seconds(20);
    while (!verdict && steady_clock::now() < deadline) {
      loop.restart();
      loop.run_one_for(milliseconds(20));
    }
    EXPECT_TRUE(verdict) << "waited in vain for a verdict on " << host;
    return verdict.value_or(HostClaims::Verdict{});
  }
  void TearDown() override { resolver->set_open(true); }

  std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
  boost::asio::io_context loop{1};
};

TEST_F(Claims, AreJudgedByAllAddressesOfTheName) {
  auto claims = make();
  EXPECT_EQ(check(claims, "n3", "10.2.0.3").claim, HostClaim::good);
  const auto foreign = check(claims, "n3", "10.1.0.9");
  EXPECT_EQ(foreign.claim, HostClaim::foreign);
  EXPECT_THAT(foreign.addresses, ElementsAre("10.1.0.3", "10.2.0.3"));
  EXPECT_EQ(check(claims, "n4", "10.1.0.4").claim, HostClaim::unknown);
}

TEST_F(Claims, AreJudgedByTheHostsFileWithoutALookup) {
  auto claims = make();
  EXPECT_EQ(check(claims, "n4", "10.1.0.4", {"10.1.0.4"}).claim, HostClaim::good);
  EXPECT_EQ(check(claims, "n4", "fe80::4", {"10.1.0.4", "FE80:0::0004"}).claim, HostClaim::good);
  EXPECT_EQ(resolver->times(), 0);
  EXPECT_EQ(check(claims, "n3", "10.1.0.3", {"10.9.0.3"}).claim, HostClaim::good)
      << "the resolver counts too";
  EXPECT_EQ(check(claims, "n4", "10.1.0.9", {"10.1.0.4"}).claim, HostClaim::foreign);
}

TEST_F(Claims, AnswerIsKeptForGoodAndForForeignAddresses) {
  auto claims = make();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(check(claims, "n3", "10.1.0.3").claim, HostClaim::good);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(check(claims, "n3", "10.1.0.9").claim, HostClaim::foreign);
  EXPECT_EQ(resolver->times(), 1);
}

TEST_F(Claims, AResolverThatHangsLeavesTheHostsFile) {
  resolver->set_open(false);
  auto claims = make({.waiting = 4, .patience = milliseconds(100)});
  EXPECT_EQ(check(claims, "n3", "10.1.0.9").claim, HostClaim::unknown);
  EXPECT_EQ(check(claims, "n4", "10.1.0.9", {"10.1.0.4"}).claim, HostClaim::foreign);
}

TEST_F(Claims, TheRealResolverKnowsThisHost) {
  HostClaims claims(loop);
  EXPECT_EQ(check(claims, "localhost", "127.0.0.1").claim, HostClaim::good);
  EXPECT_EQ(check(claims, "localhost", "192.0.2.1").claim, HostClaim::foreign);
}

}  // namespace
}  // namespace rollcall::io
