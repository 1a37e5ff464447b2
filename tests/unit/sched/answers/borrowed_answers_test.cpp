// Hosts on lease as the snapshot's keeper takes them in, and as bhosts shows them.
#include <cmath>

#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

HostOnLease lent(const std::string& id, int slots) {
  HostOnLease host;
  host.id = HostId(id);
  host.share.slots = slots;
  host.facts.type = "X86_64";
  host.facts.ncpus = 64;
  host.facts.booleans = {"theirs"};
  host.numbers = {{"mem", 2000.0F}, {"r1m", 0.5F}, {"scratch", 7.0F}};
  return host;
}

class Borrowed : public Answers {
 protected:
  Borrowed() { borrow({lent("b1@east", 4), lent("b2@east", 1)}); }
  std::vector<std::string> borrow(const std::vector<HostOnLease>& hosts) {
    BorrowedNames names;
    for (const auto& host : hosts) names.insert(host.id);
    book->hosts().borrowed(names);
    return keeper.borrow(hosts);
  }
  wire::BatchReply bhosts(const std::vector<std::string>& names = {}) {
    wire::BatchRequest request;
    auto& ask = *request.mutable_hosts();
    for (const auto& name : names) ask.add_hosts(name);
    return whole(request);
  }
  // "b1@east 4 ok, b2@east 1 closed".
  std::string rows(const std::vector<std::string>& names = {}) {
    const auto reply = bhosts(names);
    if (reply.has_refusal()) return reply.refusal().text();
    std::string text;
    for (const auto& host : reply.hosts().hosts())
      text += (text.empty() ? "" : ", ") + host.name() + " " + std::to_string(host.max()) + " " +
              (host.unreachable()       ? "unreach"
               : host.unavailable()     ? "unavail"
               : host.closed_by_admin() ? "closed"
                                        : "ok");
    return text;
  }
  JobKey placed_on(const std::string& host) {
    const JobKey key{submit_seen(book::plain_job()), 0};
    hello(host);
    dispatch(key, {host});
    keeper.job(key);
    return key;
  }
};

TEST_F(Borrowed, BhostsShowsTheSlotsOfTheLeaseAndTheStateSeenFromHere) {
  HostOnLease closed = lent("b2@east", 1), away = lent("c1@west", 2);
  closed.closed = true;
  away.unreachable = true;
  borrow({lent("b1@east", 4), closed, away});
  EXPECT_EQ(rows({"b1@east", "b2@east", "c1@west"}), "b1@east 4 ok, b2@east 1 closed, c1@west 2 unreach");
  EXPECT_EQ(rows({"east"}), "b1@east 4 ok, b2@east 1 closed") << "the hosts that a cluster lends";
  EXPECT_EQ(bhosts({"b2@east"}).hosts().hosts(0).comment(), "closed by an administrator of cluster east");
  EXPECT_THAT(rows(), testing::EndsWith("b1@east 4 ok, b2@east 1 closed, c1@west 2 unreach"));
}

TEST_F(Borrowed, ClosingOneHereIsSeenHere) {
  wire::ControlBatch request;
  request.set_action(wire::ControlBatch::HOST_CLOSE);
  request.add_names("b1@east");
  answer(book->commands().control(request, book::kRoot, now));
  for (const Effect& effect : effects)
    if (const auto* save = std::get_if<effect::SaveControl>(&effect)) keeper.control(save->state);
  EXPECT_EQ(rows({"east"}), "b1@east 4 closed, b2@east 1 ok");
  borrow({lent("b1@east", 3)});
  EXPECT_EQ(rows({"east"}), "b1@east 3 closed") << "what the provider tells does not open it";
}

TEST_F(Borrowed, AHostThatWentIsShownNoMore) {
  const JobKey key = placed_on("b1@east");
  borrow({lent("b2@east", 1)});
  EXPECT_EQ(rows({"east"}), "b2@east 1 ok");
  EXPECT_THAT(rows({"b1@east"}), testing::StartsWith("b1@east: Bad host name"));
  ASSERT_NE(keeper.snapshot().placed(key), nullptr);
  EXPECT_EQ(keeper.snapshot().placed(key)->placement.hosts.size(), 1U) << "its job is still counted there";
}

TEST_F(Borrowed, LeasesSurviveAReconfiguration) {
  placed_on("b1@east");
  const auto& config = book->jobs().config();
  keeper.configure(cycle::placement_rules(config.cluster, config.lsb));
  EXPECT_EQ(rows({"east"}), "b1@east 4 ok, b2@east 1 ok");
  EXPECT_EQ(keeper.snapshot().tallies().slots[*keeper.snapshot().rules().host("b1@east")], 1);
  EXPECT_EQ(keeper.snapshot().broken_invariant(), "");
}

TEST_F(Borrowed, AJobIsPlacedWhenItsHostBecomesKnownAfterARestart) {
  borrow({});
  keeper.configure(cycle::placement_rules(book->jobs().config().cluster, book->jobs().config().lsb));
  const JobKey key = placed_on("b2@east");
  EXPECT_TRUE(keeper.snapshot().placed(key)->placement.hosts.empty()) << "the lease is not told yet";
  borrow({lent("b2@east", 1)});
  EXPECT_EQ(keeper.snapshot().placed(key)->placement.hosts.size(), 1U);
  EXPECT_EQ(keeper.snapshot().tallies().slots[*keeper.snapshot().rules().host("b2@east")], 1);
}

TEST_F(Borrowed, ResourcesThatWeDoNotHaveAreDroppedAndNamed) {
  EXPECT_THAT(borrow({lent("b1@east", 4)}), testing::ElementsAre("scratch", "theirs"));
  const auto& snapshot = keeper.snapshot();
  EXPECT_EQ(snapshot.values(*snapshot.rules().host("b1@east")).numbers[mem], 2000);
  EXPECT_TRUE(std::isnan(snapshot.values(*snapshot.rules().host("b1@east")).numbers[tmp]))
      << "what the provider does not tell is undefined";
}

TEST_F(Borrowed, NewsOfOurLimChangeNothingThere) {
  keeper.load_lost();
  EXPECT_EQ(rows({"east"}), "b1@east 4 ok, b2@east 1 ok");
}

}  // namespace
}  // namespace rollcall::sched::answers
