// Two fake engines behind the router: each is asked about its own hosts and connections, and heard of no others.
#include "sched/mbatchd/engine_router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <set>

namespace rollcall::mbatchd {
namespace {

using sched::Attempt;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr io::LinkId kNobody = 99;

// Remembers what it was told, as words.
class FakeEngine : public Engine {
 public:
  explicit FakeEngine(EngineSetup given) : setup(std::move(given)) {}

  void configure(std::shared_ptr<const Configuration>) override { heard.emplace_back("configure"); }
  bool reaches(const std::string& host) const override { return up.count(host) != 0; }
  bool has_room(const std::string& host) const override { return full.count(host) == 0; }
  bool restart(const std::string& host, bool stop) override {
    heard.push_back((stop ? "stop " : "restart ") + host);
    return reaches(host);
  }
  void start(const std::string& host, sched::order::Start) override { heard.push_back("start " + host); }
  void expect(const std::string& host, const sched::order::Expect&) override {
    heard.push_back("expect " + host);
  }
  void go(const std::string& host, const Attempt&) override { heard.push_back("go " + host); }
  void signal(const std::string& host, const sched::order::Signal&) override {
    heard.push_back("signal " + host);
  }
  void acknowledge(const std::string& host, const Attempt&) override {
    heard.push_back("acknowledge " + host);
  }
  void release(const std::string& host, const Attempt&) override { heard.push_back("release " + host); }

  void opened(io::LinkId link, const io::LinkPeer&) override { links.insert(link); }
  bool has(io::LinkId link) const override { return links.count(link) != 0; }
  Result<void> message(io::LinkId, std::string_view said) override {
    if (said == "nonsense") return internal_error("found nonsense, expected sense");
    heard.emplace_back(said);
    return {};
  }
  void ended(io::LinkId link, const std::string&) override {
    links.erase(link);
    heard.push_back("ended " + std::to_string(link));
  }
  void drained(io::LinkId link) override { heard.push_back("drained " + std::to_string(link)); }

  std::vector<std::string> taken() { return std::exchange(heard, {}); }

  EngineSetup setup;
  std::set<std::string> up, full;
  std::set<io::LinkId> links;
  std::vector<std::string> heard;
};

class EngineRouterTest : public testing::Test {
 protected:
  EngineMaker fake(FakeEngine*& made) {
    return [&made](EngineSetup setup) {
      auto engine = std::make_unique<FakeEngine>(std::move(setup));
      made = engine.get();
      return engine;
    };
  }
  // hostA* belong to the first, hostB* to the second, other hosts to neither; daemons by their address.
  static std::optional<EngineNumber> number(const std::string& name) {
    if (name.starts_with("hostA")) return 0;
    if (name.starts_with("hostB")) return 1;
    return std::nullopt;
  }
  std::unique_ptr<Engine> made() {
    EngineSetup setup{loop_, links_, log_, 1, {}, {}};
    setup.told = [this](const std::string& host, const sched::HostReport&) {
      said_.push_back("told " + host);
    };
    setup.gone = [this](const std::string& host, Duration) { said_.push_back("gone " + host); };
    setup.room = [this](const std::string& host) { said_.push_back("room " + host); };
    const EngineRules rules{[](const std::string& host) { return number(host); },
                            [](const io::LinkPeer& peer) { return number(peer.address); }};
    return engine_router({fake(first_), fake(second_)}, rules)(std::move(setup));
  }
  static io::LinkPeer at(const std::string& address) {
    io::LinkPeer peer;
    peer.address = address;
    return peer;
  }
  void order_all(const std::string& host) {
    router_->start(host, {});
    router_->expect(host, {});
    router_->go(host, {});
    router_->signal(host, {});
    router_->acknowledge(host, {});
    router_->release(host, {});
  }
  std::vector<std::string> said() { return std::exchange(said_, {}); }

  boost::asio::io_context loop_{1};
  io::Log log_{STDERR_FILENO, "test", io::Level::emergency};
  io::Links links_{loop_, io::ClusterKey{}, {}, {}};
  std::vector<std::string> said_;
  FakeEngine* first_ = nullptr;
  FakeEngine* second_ = nullptr;
  std::unique_ptr<Engine> router_ = made();
};

TEST_F(EngineRouterTest, OrdersReachTheEngineOfTheirHost) {
  order_all("hostB1");
  EXPECT_THAT(second_->taken(), ElementsAre("start hostB1", "expect hostB1", "go hostB1", "signal hostB1",
                                            "acknowledge hostB1", "release hostB1"));
  EXPECT_THAT(first_->taken(), IsEmpty());
  order_all("hostA1");
  EXPECT_EQ(first_->taken().size(), 6U);
  EXPECT_THAT(second_->taken(), IsEmpty());
}

TEST_F(EngineRouterTest, HostOfNoEngineIsNotReached) {
  order_all("hostC");
  EXPECT_FALSE(router_->reaches("hostC"));
  EXPECT_TRUE(router_->has_room("hostC")) << "orders for it are dropped";
  EXPECT_FALSE(router_->restart("hostC", false));
  EXPECT_THAT(first_->taken(), IsEmpty());
  EXPECT_THAT(second_->taken(), IsEmpty());
}

TEST_F(EngineRouterTest, QuestionsReachTheEngineOfTheirHost) {
  first_->up = {"hostA1", "hostB1"};
  second_->up = {"hostB2"};
  first_->full = {"hostB2"};
  second_->full = {"hostB1"};
  EXPECT_TRUE(router_->reaches("hostA1"));
  EXPECT_FALSE(router_->reaches("hostB1"));
  EXPECT_TRUE(router_->reaches("hostB2"));
  EXPECT_TRUE(router_->has_room("hostB2"));
  EXPECT_FALSE(router_->has_room("hostB1"));
  EXPECT_TRUE(router_->restart("hostB2", true));
  EXPECT_THAT(second_->taken(), ElementsAre("stop hostB2"));
  router_->configure(nullptr);
  EXPECT_THAT(first_->taken(), ElementsAre("configure"));
  EXPECT_THAT(second_->taken(), ElementsAre("configure"));
}

TEST_F(EngineRouterTest, EnginesReportTheirOwnHosts) {
  first_->setup.told("hostA1", sched::report::HostCame{});
  second_->setup.told("hostB1", sched::report::HostCame{});
  second_->setup.room("hostB1");
  second_->setup.gone("hostB1", {});
  EXPECT_THAT(said(), ElementsAre("told hostA1", "told hostB1", "room hostB1", "gone hostB1"));
}

TEST_F(EngineRouterTest, ReportsOfAnotherEnginesHostAreDropped) {
  first_->setup.told("hostB1", sched::report::HostCame{});
  first_->setup.gone("hostB1", {});
  first_->setup.room("hostB1");
  first_->setup.gone("hostC", {});
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(EngineRouterTest, ConnectionsBelongToTheEngineOfTheirCaller) {
  router_->opened(1, at("hostA"));
  router_->opened(2, at("hostB"));
  EXPECT_THAT(first_->links, ElementsAre(1U));
  EXPECT_THAT(second_->links, ElementsAre(2U));
  EXPECT_TRUE(router_->has(2));
  EXPECT_TRUE(router_->message(2, "hello"));
  router_->drained(2);
  router_->ended(2, "closed");
  EXPECT_THAT(second_->taken(), ElementsAre("hello", "drained 2", "ended 2"));
  EXPECT_THAT(first_->taken(), IsEmpty());
  EXPECT_FALSE(router_->has(2));
}

TEST_F(EngineRouterTest, ConnectionsOfNoEngineAreRefused) {
  router_->opened(kNobody, at("elsewhere"));
  EXPECT_FALSE(router_->has(kNobody));
  EXPECT_FALSE(router_->message(kNobody, "hello"));
  router_->drained(kNobody);
  router_->ended(kNobody, "closed");
  EXPECT_THAT(first_->taken(), IsEmpty());
  EXPECT_THAT(second_->taken(), IsEmpty());
}

TEST_F(EngineRouterTest, ErrorOfOneEngineEndsItsConnectionAlone) {
  router_->opened(1, at("hostA"));
  router_->opened(2, at("hostB"));
  EXPECT_FALSE(router_->message(1, "nonsense"));
  router_->ended(1, "offended");
  EXPECT_TRUE(router_->has(2));
  EXPECT_TRUE(router_->message(2, "hello"));
  EXPECT_THAT(second_->taken(), ElementsAre("hello"));
}

TEST(EngineRules, EveryHostAndDaemonIsTheFirstEngines) {
  const auto rules = first_engine_for_all();
  EXPECT_EQ(rules.of_host("hostA"), 0U);
  EXPECT_EQ(rules.of_host("hostA@other"), 0U);
  EXPECT_EQ(rules.of_caller({}), 0U);
}

}  // namespace
}  // namespace rollcall::mbatchd
