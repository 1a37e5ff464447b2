// When the other cluster is told that the client of a job's terminal is gone.
#include "sched/policy/peers/terminal_clients.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration since) { return TimePoint{} + since; }
ClientOfTerminal client(std::int32_t job, const std::string& cluster = "east") {
  return {cluster, {{job, 0}, 1}, 99};
}

TEST(TerminalClients, GoneThreeSecondsBehindTheEndOfTheLink) {
  TerminalClients clients;
  EXPECT_TRUE(clients.asks(client(7), 1, "ann"));
  clients.link_ends(1, at(10s));
  EXPECT_EQ(clients.next(), at(13s));
  EXPECT_TRUE(clients.due(at(12s)).empty());
  const auto gone = clients.due(at(13s));
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].client, client(7));
  EXPECT_EQ(gone[0].user, "ann");
  EXPECT_TRUE(clients.due(at(60s)).empty()) << "told once";
}

TEST(TerminalClients, MayAskAgainOnAnotherLink) {
  TerminalClients clients;
  clients.asks(client(7), 1, "ann");
  clients.link_ends(1, at(10s));
  EXPECT_TRUE(clients.asks(client(7), 2, "ann"));
  EXPECT_EQ(clients.next(), std::nullopt);
  clients.link_ends(1, at(11s));
  EXPECT_TRUE(clients.due(at(60s)).empty());
  clients.link_ends(2, at(70s));
  EXPECT_EQ(clients.due(at(73s)).size(), 1U);
}

TEST(TerminalClients, AreForgottenWithTheEndOfTheStreamAndWithTheirCluster) {
  TerminalClients clients;
  clients.asks(client(7), 1, "ann");
  clients.asks(client(8), 2, "ann");
  clients.end_answered(client(7));
  clients.cluster_lost("east");
  clients.link_ends(1, at(10s));
  clients.link_ends(2, at(10s));
  EXPECT_TRUE(clients.due(at(60s)).empty());
}

TEST(TerminalClients, OfOneClusterAreBounded) {
  TerminalClients clients;
  for (std::size_t i = 0; i < kMostTerminals; ++i)
    ASSERT_TRUE(clients.asks(client(static_cast<std::int32_t>(i) + 1), i, "ann"));
  EXPECT_FALSE(clients.asks(client(5000), 1, "ann"));
  EXPECT_TRUE(clients.asks(client(1), 1, "ann")) << "it is known";
  EXPECT_TRUE(clients.asks(client(1, "north"), 1, "ann"));
}

}  // namespace
}  // namespace rollcall::sched::peers
