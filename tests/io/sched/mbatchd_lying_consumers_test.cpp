// A consumer of leases that has its cluster's key, speaks the protocol and lies about grants, slots and users, against a real mbatchd. The
// provider's own jobs and the other consumer go on.
#include <pwd.h>
#include <unistd.h>

#include <limits>
#include <map>

#include "common/conf/lsb/lease_bounds.hpp"
#include "tests/io/sched/lying_peer_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// East has two slots of each host, north two of the second one.
class LyingConsumers : public LyingPeers {
 protected:
  LyingConsumers() {
    write("lsbatch/test/configdir/lsb.resources",
          "Begin HostExport\nPER_HOST = " + host_ +
              " other\nSLOTS = 2\nDISTRIBUTION = ([east, 1])\nEnd HostExport\n"
              "Begin HostExport\nPER_HOST = other\nSLOTS = 2\nDISTRIBUTION = ([north, 1])\nEnd HostExport\n");
  }
  void begin() {
    expect_started();
    first_ = res(host_);
    second_ = res("other");
  }
  // The cluster, greeted; it has not asked for its lease.
  std::unique_ptr<Talk> greeted(const std::string& cluster) {
    auto talk = call_with(cluster == "east" ? east_ : north_, cluster);
    EXPECT_TRUE(talk->open()) << log();
    hear(*talk);
    say(*talk, hello(5, cluster[0], cluster));
    wire::PeerMessage held;
    held.mutable_held()->set_last(true);
    say(*talk, held);
    const auto told = hear_kind(*talk, What::kLeaseStands);
    EXPECT_TRUE(told) << log();
    if (told) leases_[cluster] = told->lease_stands();
    return talk;
  }
  static wire::PeerMessage answer_to(const wire::LeaseStands& told) {
    wire::PeerMessage message;
    message.mutable_lease_answer()->set_lease(told.lease());
    message.mutable_lease_answer()->set_wants(true);
    *message.mutable_lease_answer()->mutable_acknowledged() = told.number();
    return message;
  }
  // ... and has been granted all of it.
  std::unique_ptr<Talk> consumer(const std::string& cluster) {
    auto talk = greeted(cluster);
    auto& lease = leases_[cluster];
    const auto has_all = [&] {
      return lease.state() == wire::LeaseStands::ACTIVE &&
             std::all_of(lease.hosts().begin(), lease.hosts().end(),
                         [](const auto& host) { return host.slots() == 2; });
    };
    say(*talk, answer_to(lease));
    while (!has_all()) {
      const auto told = hear_kind(*talk, What::kLeaseStands);
      if (!told) {
        ADD_FAILURE() << "waited in vain for the lease of " << cluster << log();
        break;
      }
      lease = told->lease_stands();
      say(*talk, answer_to(lease));
    }
    return talk;
  }
  wire::PeerMessage start_of(int id, const std::string& cluster, const std::string& host,
                             const std::string& user = kGuest) const {
    auto message = offer_of(id, user);
    auto& offer = *message.mutable_offer();
    offer.clear_queue();
    offer.mutable_attempt()->set_lent_host(host);
    auto& slots = *offer.mutable_lent();
    slots.set_lease(leases_.at(cluster).lease());
    *slots.mutable_under() = leases_.at(cluster).number();
    slots.set_host(host);
    slots.set_slots(1);
    slots.set_queue("night");
    return message;
  }
  static wire::LentSlots& lent(wire::PeerMessage& start) { return *start.mutable_offer()->mutable_lent(); }
  static wire::LentSlots& more(wire::PeerMessage& start, const std::string& host) {
    auto& slots = *start.mutable_offer()->add_more_lent();
    slots = start.offer().lent();
    slots.set_host(host);
    return slots;
  }
  // The liar's job with this id runs on the first host, and so does a job of ours; RES was ordered nothing else.
  void expect_only_good_ones_start(Talk& east, int id) {
    EXPECT_EQ(jobs_here(), 0) << log();
    EXPECT_EQ(answer(east, start_of(id, "east", host_)), "accepted") << log();
    const int own = submit();
    ASSERT_GT(own, 0) << log();
    const auto orders = [&] { return first_->attempts().size() + second_->attempts().size(); };
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (status(own) != wire::STATUS_DONE && std::chrono::steady_clock::now() < until)
      for (auto* host : {first_.get(), second_.get()}) host->serve(std::chrono::milliseconds(20));
    EXPECT_EQ(status(own), wire::STATUS_DONE) << why_pending(own) << log();
    first_->serve(kPatience, [&] { return orders() == 2; });
    EXPECT_EQ(orders(), 2U);
    EXPECT_EQ(jobs_here(), 2);
  }

  std::unique_ptr<FakeRes> first_, second_;
  std::map<std::string, wire::LeaseStands> leases_;  // as they were told last, by consumer
};

TEST_F(LyingConsumers, ClaimingGrantsThatTheyDoNotHaveStartNothing) {
  begin();
  const auto north = consumer("north");
  const auto east = consumer("east");
  int id = 0;
  auto stolen = start_of(++id, "north", "other");
  EXPECT_THAT(answer(*east, stolen), HasSubstr("the lease is over"));
  auto half = start_of(++id, "east", host_);
  more(half, "other").set_lease(leases_["north"].lease());
  *half.mutable_offer()->mutable_more_lent(0)->mutable_under() = leases_["north"].number();
  EXPECT_THAT(answer(*east, half), HasSubstr("the lease is over"));
  for (const std::uint64_t unknown : {std::uint64_t{0}, leases_["east"].lease() + 1000, kMost}) {
    auto start = start_of(++id, "east", host_);
    lent(start).set_lease(unknown);
    EXPECT_THAT(answer(*east, start), HasSubstr("the lease is over")) << unknown;
  }
  const auto number = leases_["east"].number();
  for (const auto& [term, counter] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{number.term(), number.counter() - 1},
                                                            {number.term(), number.counter() + 1},
                                                            {number.term() + 1, number.counter()},
                                                            {number.term() - 1, kMost},
                                                            {kMost, kMost},
                                                            {0, 0}}) {
    auto start = start_of(++id, "east", host_);
    lent(start).mutable_under()->set_term(term);
    lent(start).mutable_under()->set_counter(counter);
    EXPECT_THAT(answer(*east, start), HasSubstr("the lease has changed")) << term << "." << counter;
  }
  expect_only_good_ones_start(*east, ++id);
  EXPECT_EQ(answer(*north, start_of(1, "north", "other")), "accepted") << "north has what it was granted";
}

TEST_F(LyingConsumers, ClaimingMoreSlotsThanTheirGrantGetNone) {
  begin();
  const auto east = consumer("east");
  int id = 0;
  for (const int slots : {3, 0, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    auto start = start_of(++id, "east", host_);
    lent(start).set_slots(slots);
    EXPECT_THAT(answer(*east, start), HasSubstr("the lease has changed")) << slots;
  }
  auto twice = start_of(++id, "east", host_);
  more(twice, host_);
  EXPECT_THAT(answer(*east, twice), HasSubstr("the job has a host twice"));
  auto wide = start_of(++id, "east", host_);
  more(wide, "other").set_slots(3);
  EXPECT_THAT(answer(*east, wide), HasSubstr("the lease has changed"));
  EXPECT_THAT(answer(*east, start_of(++id, "east", "nowhere")), HasSubstr("the lease has changed"));
  auto elsewhere = start_of(++id, "east", host_);
  elsewhere.mutable_offer()->mutable_attempt()->set_lent_host("other");
  EXPECT_THAT(answer(*east, elsewhere), HasSubstr("the attempt names another host"));
  auto many = start_of(++id, "east", host_);
  for (int i = 0; i < conf::kMostLeasedHosts; ++i) more(many, "h" + std::to_string(i));
  EXPECT_THAT(answer(*east, many), HasSubstr("the job has too many hosts"));
  auto odd = start_of(++id, "east", host_);
  lent(odd).set_queue("q\033[2J");
  EXPECT_THAT(answer(*east, odd), HasSubstr("the queue has a malformed name"));
  expect_only_good_ones_start(*east, ++id);
}

TEST_F(LyingConsumers, StartingJobsOfRootAndOfAdministratorsStartNone) {
  begin();
  const auto east = consumer("east");
  int id = 0;
  for (const std::string& user : {std::string("root"), std::string(getpwuid(geteuid())->pw_name)}) {
    auto start = start_of(++id, "east", host_, user);
    start.mutable_offer()->mutable_asked()->set_uid(65534);  // which is not what counts
    EXPECT_THAT(answer(*east, start), HasSubstr("do not run as root or as an administrator")) << user;
  }
  EXPECT_THAT(answer(*east, start_of(++id, "east", host_, "no-such-user")), HasSubstr("not known here"));
  auto proposed = start_of(++id, "east", host_, "");
  proposed.mutable_offer()->set_user("eve");
  proposed.mutable_offer()->add_run_as("root");
  EXPECT_THAT(answer(*east, proposed), HasSubstr("do not run as root")) << "whatever a row of UserMap says";
  expect_only_good_ones_start(*east, ++id);
}

TEST_F(LyingConsumers, AnsweringForLeasesThatAreNotTheirsChangeNone) {
  begin();
  auto east = consumer("east");
  auto north = greeted("north");
  ASSERT_EQ(leases_["north"].state(), wire::LeaseStands::OFFERED);
  auto lie = answer_to(leases_["north"]);
  for (const std::uint64_t counter : {std::uint64_t{0}, std::uint64_t{1}, kMost}) {
    lie.mutable_lease_answer()->mutable_acknowledged()->set_counter(counter);
    say(*east, lie);
    const auto told = hear_kind(*east, What::kLeaseOver);
    ASSERT_TRUE(told) << log();
    EXPECT_EQ(told->lease_over().lease(), leases_["north"].lease()) << "as of one that there is not";
  }
  // Of its own lease: numbers to come, and slots that there are not.
  auto own = answer_to(leases_["east"]);
  own.mutable_lease_answer()->mutable_acknowledged()->set_counter(kMost);
  auto& used = *own.mutable_lease_answer()->add_uses();
  used.set_host("nowhere");
  used.set_slots(2);
  say(*east, own);
  EXPECT_TRUE(serves(*east)) << log();
  for (const int slots : {-1, std::numeric_limits<int>::max()}) {
    used.set_slots(slots);
    say(*east, own);
    EXPECT_FALSE(serves(*east)) << slots;
    east = consumer("east");
  }
  north.reset();
  north = greeted("north");
  EXPECT_EQ(leases_["north"].state(), wire::LeaseStands::OFFERED) << "it has not asked for it";
  expect_only_good_ones_start(*east, 1);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
