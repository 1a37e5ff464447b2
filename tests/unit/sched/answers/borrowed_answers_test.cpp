// Hosts on lease as the snapshot's keeper takes them in, and as bhosts shows them.
#include <algorithm>
#include <cmath>

#include "common/base/load_vector.hpp"
#include "common/conf/words.hpp"
#include "sched/policy/answers/opened_hosts.hpp"
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

TEST_F(Borrowed, OpeningOneThatItsClusterHasClosedSaysSo) {
  auto closed = lent("b2@east", 1);
  closed.closed = true;
  borrow({lent("b1@east", 4), closed});
  const auto open = [this](const std::string& name) {
    wire::ControlBatch request;
    request.set_action(wire::ControlBatch::HOST_OPEN);
    request.add_names(name);
    auto reply = book->commands().control(request, book::kRoot, now).reply;
    say_what_stays_closed(keeper.snapshot(), reply);
    std::vector<std::string> texts;
    for (const auto& outcome : reply.outcomes().outcomes()) texts.push_back(outcome.text());
    return texts;
  };
  EXPECT_THAT(open("east"),
              testing::ElementsAre("Open <b1@east> ...... done",
                                   "Open <b2@east> ...... done; but an administrator of cluster east has "
                                   "closed the host, and no job starts there until it is opened there too"));
  EXPECT_THAT(open("hostA"), testing::ElementsAre("Open <hostA> ...... done"));
}

TEST_F(Borrowed, BhostsShowsTheSlotsOfTheLeaseAndTheStateSeenFromHere) {
  HostOnLease closed = lent("b2@east", 1), away = lent("c1@west", 2);
  closed.closed = true;
  away.unreachable = true;
  borrow({lent("b1@east", 4), closed, away});
  EXPECT_EQ(rows({"b1@east", "b2@east", "c1@west"}), "b1@east 4 ok, b2@east 1 closed, c1@west 2 unreach");
  EXPECT_EQ(rows({"east"}), "b1@east 4 ok, b2@east 1 closed") << "the hosts that a cluster lends";
  EXPECT_EQ(rows({"all@east"}), rows({"east"}));
  EXPECT_EQ(rows({"allremote"}), "b1@east 4 ok, b2@east 1 closed, c1@west 2 unreach");
  EXPECT_EQ(bhosts({"all@lab"}).hosts().hosts_size(), 3) << "ours";
  EXPECT_THAT(rows({"all@south"}), testing::StartsWith("all@south: Bad host name"));
  EXPECT_EQ(bhosts({"b2@east"}).hosts().hosts(0).comment(), "closed by an administrator of cluster east");
  EXPECT_THAT(rows(), testing::EndsWith("b1@east 4 ok, b2@east 1 closed, c1@west 2 unreach"));
}

TEST_F(Borrowed, BhostsShowsAHostWithoutSlotsAsFullAndSaysWhy) {
  borrow({lent("b1@east", 4), lent("b2@east", 0)});
  const auto host = bhosts({"b2@east"}).hosts().hosts(0);
  EXPECT_EQ(host.max(), 0U);
  EXPECT_TRUE(host.full());
  EXPECT_FALSE(host.closed_by_admin());
  EXPECT_EQ(host.comment(), "cluster east lends no slot of it now");
  EXPECT_EQ(bhosts({"b1@east"}).hosts().hosts(0).comment(), "");
}

TEST_F(Borrowed, SlotsThatGoAndComeBackMakeNoNewRules) {
  const auto* const rules = &keeper.snapshot().rules();
  for (const int slots : {0, 3, 0, 1}) {
    borrow({lent("b1@east", slots), lent("b2@east", 1)});
    EXPECT_EQ(&keeper.snapshot().rules(), rules);
    EXPECT_EQ(keeper.snapshot().slots(*keeper.snapshot().rules().host("b1@east")), slots);
  }
  borrow({lent("b2@east", 1)});
  EXPECT_NE(&keeper.snapshot().rules(), rules);
}

TEST_F(Borrowed, BhostsTellsThatLsbHostsOfThisClusterLimitsTheSlots) {
  auto files = book->jobs().config();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  lsb->hosts.hosts = {{.name = "default", .slots = 2}};
  files.lsb = std::move(lsb);
  book->configure(files, now);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  borrow({lent("b1@east", 4), lent("b2@east", 2)});
  const auto reply = bhosts({"b1@east", "b2@east", "hostA"});
  EXPECT_EQ(reply.hosts().hosts(0).max(), 2U);
  EXPECT_EQ(reply.hosts().hosts(0).words().at("own_limit"),
            "row default of lsb.hosts has MXJ 2, the lease has 4 slots");
  EXPECT_FALSE(reply.hosts().hosts(1).words().contains("own_limit")) << "as many as are lent";
  EXPECT_FALSE(reply.hosts().hosts(2).words().contains("own_limit")) << "a host of ours";
}

// A provider may lend other hosts every minute: those that it had lent keep numbers until the snapshot is made anew.
TEST_F(Borrowed, HostsThatWereReturnedAreForgottenWhenTheyAreMany) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point at{100s};
  int rounds = 0;
  const auto lends_others = [&] {
    std::vector<HostOnLease> hosts;
    for (int i = 0; i < 500; ++i)
      hosts.push_back(lent("h" + std::to_string(rounds) + "." + std::to_string(i) + "@east", 1));
    borrow(hosts);
    ++rounds;
  };
  while (!keeper.forgets_returned(at) && rounds < 100) lends_others();
  EXPECT_EQ(rounds, 20);
  const auto before = keeper.times_anew();
  const auto files = book->jobs().config();
  const auto anew = [&] { keeper.configure(cycle::placement_rules(files.cluster, files.lsb)); };
  anew();
  EXPECT_FALSE(keeper.forgets_returned(at + 30s));
  EXPECT_EQ(keeper.times_anew(), before + 1) << "hosts have other numbers";
  while (rounds < 142) {
    lends_others();
    EXPECT_FALSE(keeper.forgets_returned(at + 29s)) << "once in half a minute";
  }
  const auto count = [&] {
    return keeper.snapshot().rules().hosts.size() - keeper.snapshot().rules().own_hosts;
  };
  EXPECT_EQ(count(), 40'000U);
  EXPECT_FALSE(keeper.snapshot().rules().host("h141.7@east")) << "it waits for a number";
  EXPECT_TRUE(keeper.forgets_returned(at + 30s));
  anew();
  rounds = 141;
  lends_others();
  EXPECT_EQ(count(), 500U);
  EXPECT_TRUE(keeper.snapshot().rules().host("h141.7@east"));
  rounds = 19;
  lends_others();
  const auto& rules = keeper.snapshot().rules();
  EXPECT_EQ(rules.hosts.size() - rules.own_hosts, 1000U);
  EXPECT_TRUE(rules.host("h19.7@east"));
}

// lsf.shared here has lic, and no host of ours.
TEST_F(Borrowed, BhostsShowsInstancesOfALeaseAndWhatOurJobsReserve) {
  auto files = book->jobs().config();
  auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
  cluster->indices.add({.name = "lic", .type = ResourceType::numeric});
  files.cluster = std::move(cluster);
  book->configure(files, now);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  const std::vector<HostOnLease> hosts{lent("b1@east", 4), lent("b2@east", 1)};
  const auto dropped = keeper.borrow(
      hosts, {{"lic", {HostId("b1@east"), HostId("b2@east")}, 3}, {"unheard", {HostId("b1@east")}, 1}});
  EXPECT_THAT(dropped, testing::Contains("unheard"));
  const JobKey key{submit_seen(book::plain_job()), 0};
  auto plan = book::on_hosts({"b1@east"});
  plan.placement.reservations = {{"lic", HostId("b1@east"), 2, {}, false}};
  effects = book->hosts().dispatch(key, plan, now);
  keeper.job(key);
  wire::BatchRequest request;
  request.mutable_hosts()->set_shared(true);
  const auto check = [&](double left) {
    const auto reply = whole(request);
    ASSERT_EQ(reply.shared().rows_size(), 1);
    EXPECT_EQ(reply.shared().rows(0).resource(), "lic");
    EXPECT_EQ(reply.shared().rows(0).total(), left);
    EXPECT_EQ(reply.shared().rows(0).reserved(), 2);
    EXPECT_EQ(reply.shared().rows(0).hosts(1), "b2@east");
  };
  check(1);
  keeper.borrow(hosts, {{"lic", {HostId("b1@east"), HostId("b2@east")}, 1}});
  check(0);  // fewer than jobs have
  keeper.borrow(hosts, {{"lic", {HostId("b1@east"), HostId("b2@east")}, 5}});
  check(3);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  check(3);
  keeper.borrow(hosts);
  EXPECT_EQ(whole(request).shared().rows_size(), 0);
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

class BorrowedLoads : public Borrowed {
 protected:
  BorrowedLoads() {
    BorrowedLoad& load = told[HostId("b1@east")];
    load.host = lent("b1@east", 4);
    load.age_ms = {{"mem", 2000}, {"r1m", 500}};
    load.beyond = {"r1m"};
    load.status.set_busy(true);
    load.told = now;
  }
  wire::BatchReply ask(const std::vector<std::string>& hosts, bool facts = false,
                       const std::string& resreq = {}) {
    wire::BatchRequest request;
    auto& asked = *request.mutable_borrowed();
    for (const auto& host : hosts) asked.add_hosts(host);
    asked.set_facts(facts);
    asked.set_resreq(resreq);
    AnswerView seen = view();
    seen.borrowed = [this](const HostId& host) {
      const auto found = told.find(host);
      return found == told.end() ? nullptr : &found->second;
    };
    auto part = (*sched::answers::answer(request, book::kAnn, seen))(seen);
    EXPECT_TRUE(part->last());
    return *part;
  }
  wire::Reply::Loads loads(const std::vector<std::string>& hosts, const std::string& resreq = {}) {
    wire::Reply::Loads loads;
    EXPECT_TRUE(loads.ParseFromString(ask(hosts, false, resreq).borrowed().loads()));
    return loads;
  }
  static int place(const wire::Reply::Loads& loads, const std::string& index) {
    return static_cast<int>(std::find(loads.names().begin(), loads.names().end(), index) -
                            loads.names().begin());
  }
  std::map<HostId, BorrowedLoad> told;
};

TEST_F(BorrowedLoads, AreWhatTheirClusterToldAndHowOldItIsNow) {
  now.us += 3'000'000;
  const auto answer = loads({"b1@east"});
  ASSERT_EQ(answer.hosts_size(), 1);
  const auto& host = answer.hosts(0);
  EXPECT_EQ(host.host(), "b1@east");
  EXPECT_TRUE(host.status().busy());
  EXPECT_EQ(host.values(place(answer, "mem")), 2000);
  EXPECT_EQ(host.age_ms(place(answer, "mem")), 5000U) << "two seconds there, three here";
  EXPECT_EQ(host.values(place(answer, "tmp")), kUnknownLoad);
  EXPECT_EQ(host.age_ms(place(answer, "tmp")), 4294967295U);
  ASSERT_EQ(host.beyond_size(), 1);
  EXPECT_EQ(static_cast<int>(host.beyond(0)), place(answer, "r1m"));
  EXPECT_EQ(place(answer, "scratch"), answer.names_size()) << "an index that lsf.shared does not have here";
}

TEST_F(BorrowedLoads, OfAHostThatIsNotHeardOfAreUnavailable) {
  const auto answer = loads({"all@east"});
  ASSERT_EQ(answer.hosts_size(), 2);
  EXPECT_FALSE(answer.hosts(0).status().unavailable());
  EXPECT_EQ(answer.hosts(1).host(), "b2@east");
  EXPECT_TRUE(answer.hosts(1).status().unavailable());
}

TEST_F(BorrowedLoads, AreOfTheHostsThatMatch) {
  EXPECT_EQ(loads({"all@east"}, "mem>1000").hosts_size(), 2);
  EXPECT_EQ(loads({"all@east", "b1@east"}, "mem>5000").hosts_size(), 0);
  EXPECT_EQ(ask({"b1@east"}, false, "mem>>1").refusal().why(), wire::BatchReply::Refusal::BAD_RESREQ);
}

TEST_F(BorrowedLoads, AreOfHostsOnLeaseAlone) {
  for (const char* name : {"b9@east", "all@north", "hostA"})
    EXPECT_EQ(ask({name}).refusal().why(), wire::BatchReply::Refusal::NO_HOST) << name;
  borrow({lent("b2@east", 1)});
  EXPECT_EQ(ask({"b1@east"}).refusal().why(), wire::BatchReply::Refusal::NO_HOST) << "its lease is over";
}

TEST_F(BorrowedLoads, HaveFactsUnderTheNameThatIsUsedHere) {
  wire::Reply::Hosts hosts;
  ASSERT_TRUE(hosts.ParseFromString(ask({"b1@east"}, true).borrowed().hosts()));
  ASSERT_EQ(hosts.hosts_size(), 1);
  EXPECT_EQ(hosts.hosts(0).name(), "b1@east");
  EXPECT_EQ(hosts.hosts(0).ncpus(), 64);
  EXPECT_TRUE(hosts.up(0));
}

TEST_F(Borrowed, NewsOfOurLimChangeNothingThere) {
  keeper.load_lost();
  EXPECT_EQ(rows({"east"}), "b1@east 4 ok, b2@east 1 ok");
}

TEST_F(Borrowed, BlimitsNamesNoHostThatHasReturned) {
  auto files = book->jobs().config();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  conf::ResourceLimit limit;
  limit.name = "far";
  limit.consumers["HOSTS"] = {"allremote"};
  limit.amounts["SLOTS"] = {{4, false, {}}};
  lsb->resources.limits.push_back(limit);
  files.lsb = std::move(lsb);
  book->configure(files, now);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  const auto hosts = [this] {
    wire::BatchRequest request;
    request.mutable_limits()->set_configured(true);
    request.mutable_limits()->set_name("far");
    const auto reply = whole(request);
    return std::vector<std::string>(reply.limits().rows(0).hosts().begin(),
                                    reply.limits().rows(0).hosts().end());
  };
  borrow({lent("b1@east", 4), lent("b2@east", 1)});
  EXPECT_THAT(hosts(), testing::ElementsAre("b1@east", "b2@east"));
  borrow({lent("b2@east", 1)});
  EXPECT_THAT(hosts(), testing::ElementsAre("b2@east"));
}

// No host of the lease is known before the first slot is there.
TEST_F(Borrowed, AJobIsToldThatSlotsOfItsLeaseAreInUseByTheProvidersJobs) {
  auto files = book->jobs().config();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  for (auto& queue : lsb->queues) queue.hosts = *conf::parse_host_items({"all@east"});
  files.lsb = std::move(lsb);
  book->configure(files, now);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  borrow({});
  const JobKey key{submit_seen(book::plain_job()), 0};
  cycle::PendingReasons reasons(keeper.snapshot(), now);
  const auto first = [&](std::vector<lease::AwaitedLease> awaited) {
    AnswerView view{book->jobs(), book->hosts(), keeper.snapshot(), now};
    view.awaited = [awaited]() -> const auto& { return awaited; };
    const auto shown = job_view(view, job(key), &reasons);
    return shown.reasons_size() == 0 ? "" : shown.reasons(0).text() + ": " + shown.reasons(0).why();
  };
  EXPECT_EQ(
      first({{{"east", 3}, 4}}),
      "Hosts of lease <east#3> are not free yet: 4 slots come when jobs of cluster east that run there end");
  EXPECT_THAT(first({{{"west", 3}, 4}}), testing::Not(testing::HasSubstr("lease")));
}

// The cluster has a lease of `east` that no job asks for, so no host of east is known.
class NotBorrowedYet : public Borrowed {
 protected:
  void hosts_of_queues(const std::string& words) {
    auto files = book->jobs().config();
    auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
    for (auto& queue : lsb->queues) queue.hosts = *conf::parse_host_items(conf::split_words(words, " "));
    files.lsb = std::move(lsb);
    book->configure(files, now);
    keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
    borrow({});
  }
  // "TEXT: WHY" of each reason.
  std::vector<std::string> reasons_of(const wire::Submission& asked) {
    const JobKey key{submit_seen(asked, asked.user() == "root" ? book::kRoot : book::kAnn), 0};
    cycle::PendingReasons reasons(keeper.snapshot(), now);
    AnswerView seen = view();
    seen.awaited = [this]() -> const auto& { return leases; };
    const auto shown = job_view(seen, job(key), &reasons);
    std::vector<std::string> texts;
    for (const auto& one : shown.reasons()) texts.push_back(one.text() + ": " + one.why());
    return texts;
  }
  static wire::Submission of_root() {
    auto asked = book::plain_job();
    asked.set_user("root");
    return asked;
  }
  static wire::Submission on_two_slots() {
    auto asked = book::plain_job();
    asked.set_min_slots(2);
    asked.set_max_slots(2);
    return asked;
  }
  std::vector<lease::AwaitedLease> leases{{{"east", 3}, 0}, {{"east", 4}, 0}};
  const std::string bars_root =
      "Hosts of cluster <east> are not usable to the user: a job of root stays in its cluster, unless "
      "UserMap "
      "gives root an account in another one; no lease is asked for on behalf of the job";
  const std::string bars_parallel =
      "Hosts of cluster <east> are not usable to parallel jobs: RemoteClusters of lsf.cluster has no cluster "
      "east with RECV_FROM=Y; no lease is asked for on behalf of the job";
};

TEST_F(NotBorrowedYet, AJobIsToldWhyNoLeaseIsAskedForOnItsBehalf) {
  hosts_of_queues("all@east");
  EXPECT_THAT(reasons_of(of_root()), testing::ElementsAre(bars_root, testing::HasSubstr("to the queue")));
  EXPECT_THAT(reasons_of(on_two_slots()),
              testing::ElementsAre(bars_parallel, testing::HasSubstr("to the queue")));
  EXPECT_THAT(reasons_of(book::plain_job()), testing::ElementsAre(testing::HasSubstr("to the queue")))
      << "it asks for the lease";
}

TEST_F(NotBorrowedYet, NothingIsSaidOfAClusterThatTheWordsOfTheJobDoNotName) {
  hosts_of_queues("all@west");
  EXPECT_THAT(reasons_of(of_root()), testing::ElementsAre(testing::HasSubstr("to the queue")));
}

TEST_F(NotBorrowedYet, ReasonsOfHostsThatTheJobMayHaveComeFirst) {
  hosts_of_queues("all allremote");
  const auto told = reasons_of(on_two_slots());
  ASSERT_GT(told.size(), 1U);
  EXPECT_EQ(told.back(), bars_parallel);
  EXPECT_THAT(told, testing::Contains(bars_parallel).Times(1));
}

TEST_F(NotBorrowedYet, AHostOfBsubThatNoLeaseHasAnyMoreIsNamed) {
  hosts_of_queues("all allremote");
  borrow({lent("b1@east", 1)});
  auto asked = book::plain_job();
  asked.add_asked_hosts()->set_name("b1@east");
  const std::string gone = "Host <b1@east> is not on lease: no lease with cluster east has it";
  EXPECT_THAT(reasons_of(asked), testing::Not(testing::Contains(gone)));
  const JobKey alone{submit_seen(asked, book::kAnn), 0};
  asked.add_asked_hosts()->set_name("hostA");
  const JobKey with_another{submit_seen(asked, book::kAnn), 0};
  borrow({});
  cycle::PendingReasons reasons(keeper.snapshot(), now);
  const auto told = [&](JobKey key) {
    std::vector<std::string> texts;
    const auto shown = job_view(view(), job(key), &reasons);
    for (const auto& one : shown.reasons()) texts.push_back(one.text() + ": " + one.why());
    return texts;
  };
  ASSERT_THAT(told(alone), testing::Contains(gone));
  EXPECT_EQ(told(alone).front(), gone);
  ASSERT_GT(told(with_another).size(), 1U);
  EXPECT_EQ(told(with_another).back(), gone) << "behind those of the host that it may have";
}

TEST_F(NotBorrowedYet, HostsThatTheClusterLendsAlreadyHaveTheReason) {
  hosts_of_queues("all@east");
  for (auto& one : leases) one.provider_lends = true;
  EXPECT_THAT(reasons_of(of_root()), testing::Not(testing::Contains(bars_root)));
  borrow({lent("b1@east", 1)});
  EXPECT_THAT(reasons_of(of_root()),
              testing::Contains("Host is not usable to the user: a job of root stays in its cluster, unless "
                                "UserMap gives root an account in another one"));
}

class Lent : public Answers {
 protected:
  static std::vector<lease::LeaseReport> one_lease() {
    lease::LeaseReport lease;
    lease.id = {"lab", 3};
    lease.cluster = "west";
    lease.phase = lease::Phase::active;
    lease.hosts = {{"hostA", 4, {"hostA", 3, {}, {}, true}, {}}};
    return {lease};
  }
  wire::BatchReply asked(const wire::BatchRequest& request) {
    AnswerView view{book->jobs(), book->hosts(), keeper.snapshot(), now};
    view.leases = one_lease;
    wire::BatchReply all;
    auto next = answers::answer(request, book::kAnn, view);
    for (bool last = !next; !last;) {
      auto part = (*next)(view);
      if (!part) break;
      all.MergeFrom(*part);
      last = part->last();
    }
    return all;
  }
  wire::BatchReply exported(const std::string& host, const std::string& resource = "") {
    wire::BatchRequest request;
    request.mutable_hosts()->set_exported(true);
    if (!host.empty()) request.mutable_hosts()->add_hosts(host);
    if (!resource.empty()) request.mutable_hosts()->add_resources(resource);
    return asked(request);
  }
};

// Such a job cannot be killed while its host is out of reach.
TEST_F(Lent, BhostsCountsNoJobOfAnotherClusterThoughNothingIsExportedAnyMore) {
  ASSERT_TRUE(book->jobs().config().lsb->resources.host_exports.empty());
  hello("hostA");
  wire::ForwardOffer offer;
  offer.mutable_attempt()->mutable_key()->set_id(7);
  offer.mutable_attempt()->set_attempt(1);
  offer.mutable_attempt()->set_lent_host("hostA");
  offer.mutable_lent()->set_lease(3);
  offer.mutable_lent()->set_host("hostA");
  offer.mutable_lent()->set_slots(1);
  const auto answered =
      book->forwards().start_on_lent_slots("west", offer, book::plain_job(), book::kAnn, now);
  ASSERT_TRUE(answered.said.state);
  ASSERT_EQ(book->jobs().host_counts("hostA").jobs, 1U);
  wire::BatchRequest request;
  request.mutable_hosts()->add_hosts("hostA");
  const auto reply = asked(request);
  ASSERT_EQ(reply.hosts().hosts_size(), 1);
  EXPECT_EQ(reply.hosts().hosts(0).counts().jobs(), 0U);
  EXPECT_EQ(reply.hosts().hosts(0).counts().running(), 0U);
}

TEST_F(Lent, BhostsLNamesTheConsumerOfAHost) {
  wire::BatchRequest request;
  request.mutable_hosts()->set_load(true);
  request.mutable_hosts()->add_hosts("hostA");
  const auto reply = asked(request);
  ASSERT_EQ(reply.hosts().hosts_size(), 1);
  EXPECT_EQ(reply.hosts().hosts(0).words().at("lent"), "all 4 slots to cluster west (lease lab#3, active)");
  request.mutable_hosts()->set_load(false);
  EXPECT_EQ(asked(request).hosts().hosts(0).words().count("lent"), 0U);
}

TEST_F(Lent, BhostsEKnowsTheHostsThatBhostsKnows) {
  EXPECT_EQ(exported("hostA").leases().rows_size(), 1);
  EXPECT_EQ(exported("all").leases().rows_size(), 1);
  EXPECT_FALSE(exported("hostB").has_refusal());
  EXPECT_EQ(exported("hostB").leases().rows_size(), 0);
  EXPECT_EQ(exported("nosuch").refusal().text(), "nosuch: Bad host name, host group name or compute unit");
  EXPECT_EQ(exported("", "nosuch").refusal().text(), "nosuch: Not a shared resource");
  auto files = book->jobs().config();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  lsb->hosts.groups.push_back({.name = "far", .members = {"allremote"}});
  files.lsb = std::move(lsb);
  book->configure(files, now);
  keeper.configure(cycle::placement_rules(files.cluster, files.lsb));
  EXPECT_FALSE(exported("far").has_refusal());
  EXPECT_EQ(exported("far").leases().rows_size(), 0) << "nothing is lent to us: the group has no host";
}

}  // namespace
}  // namespace rollcall::sched::answers
