// Hosts on lease in the Book: which names clients may use, closing them for this cluster's slots alone, and jobs there while their
// cluster is silent.
#include "sched/policy/jobs/site_rules.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class BorrowedInTheBook : public BookTest {
 protected:
  static ConfigView borrowing_files() { return site_files("", "HOSTS = all allremote\n"); }
  void SetUp() override { book->configure(borrowing_files(), now); }
  static wire::Submission asking_for(const std::string& host) {
    wire::Submission asked = plain_job();
    asked.add_asked_hosts()->set_name(host);
    return asked;
  }
  void lent() { book->hosts().borrowed({HostId("b1@east"), HostId("b2@east"), HostId("c1@west")}); }
  std::vector<std::string> control(wire::ControlBatch::Action action, const std::string& host,
                                   const Identity& who = kRoot) {
    wire::ControlBatch request;
    request.set_action(action);
    request.add_names(host);
    return answer(book->commands().control(request, who, now));
  }
  std::optional<std::vector<std::string>> named(const char* name) const {
    return jobs::hosts_named(book->jobs().config(), name);
  }
};

TEST_F(BorrowedInTheBook, ANameIsRefusedUntilALeaseHasTheHost) {
  EXPECT_EQ(refused(asking_for("b1@east")),
            "b1@east: Bad host name, host group name or host model; no lease with cluster east has it");
  EXPECT_NE(refused(asking_for("allremote")), "");
  lent();
  EXPECT_EQ(refused(asking_for("b1@east")), "");
  EXPECT_EQ(refused(asking_for("all@east")), "");
  EXPECT_EQ(refused(asking_for("allremote")), "");
  EXPECT_NE(refused(asking_for("b3@east")), "");
  EXPECT_NE(refused(asking_for("b1")), "") << "a host of ours has no such name";
  EXPECT_EQ(refused(asking_for("hostA@lab")), "") << "our own cluster may be written";
}

TEST_F(BorrowedInTheBook, ANameIsRefusedInAQueueThatDoesNotUseTheHost) {
  lent();
  const auto refused_by = [this](const std::string& hosts, const std::string& word) {
    book->configure(site_files("", hosts.empty() ? "" : "HOSTS = " + hosts + "\n"), now);
    const std::string text = refused(asking_for(word));
    EXPECT_TRUE(text.empty() || text == word + ": Host or host group is not used by the queue") << text;
    return !text.empty();
  };
  for (const char* word : {"b1@east", "all@east", "allremote"}) EXPECT_TRUE(refused_by("", word)) << word;
  EXPECT_FALSE(refused_by("", "hostB@lab"));
  EXPECT_FALSE(refused_by("all@east", "b1@east"));
  EXPECT_FALSE(refused_by("all@east", "allremote")) << "some of them";
  EXPECT_TRUE(refused_by("all@east", "c1@west"));
  EXPECT_TRUE(refused_by("all@east", "hostA"));
  EXPECT_TRUE(refused_by("allremote ~b1@east", "b1@east"));
  EXPECT_FALSE(refused_by("allremote ~b1@east", "b2@east"));
  EXPECT_TRUE(refused_by("allremote ~all@east", "all@east"));
  EXPECT_FALSE(refused_by("b1@east others", "hostA"));
  EXPECT_TRUE(refused_by("b1@east others", "b2@east"));
}

TEST_F(BorrowedInTheBook, WordsNameHostsOfTheirClusterAlone) {
  lent();
  EXPECT_THAT(named("all@east").value(), ElementsAre("b1@east", "b2@east"));
  EXPECT_THAT(named("allremote").value(), ElementsAre("b1@east", "b2@east", "c1@west"));
  EXPECT_THAT(named("all").value(), ElementsAre("hostA", "hostB", "hostC"));
  EXPECT_EQ(named("all@south"), std::nullopt);
  EXPECT_EQ(named("b1@west"), std::nullopt);
}

TEST_F(BorrowedInTheBook, AllHostsOfAClusterAreClosedByEitherWord) {
  lent();
  for (const char* word : {"east", "all@east"})
    EXPECT_THAT(control(wire::ControlBatch::HOST_CLOSE, word),
                ElementsAre("Close <b1@east> ...... done", "Close <b2@east> ...... done"))
        << word;
  EXPECT_THAT(control(wire::ControlBatch::HOST_OPEN, "east"),
              ElementsAre("Open <b1@east> ...... done", "Open <b2@east> ...... done"));
  EXPECT_TRUE(book->jobs().host_control("b1@east").open);
  for (const char* word : {"south", "lab", ""})
    EXPECT_THAT(control(wire::ControlBatch::HOST_CLOSE, word),
                ElementsAre("! " + std::string(word) + ": No such host or host group"));
}

// A provider may give its hosts other names every minute.
TEST_F(BorrowedInTheBook, HostsThatNoLeaseAndNoJobHasAreForgotten) {
  const auto lend = [this](int round) {
    std::vector<std::string> names;
    BorrowedNames borrowed{HostId("b1@east")};
    for (int i = 0; i < 100; ++i)
      names.push_back("h" + std::to_string(round) + "." + std::to_string(i) + "@east");
    for (const auto& name : names) borrowed.insert(HostId(name));
    book->hosts().borrowed(std::move(borrowed));
    for (const auto& name : names) hello(name);
    return names;
  };
  lent();
  for (const char* host : {"hostA", "b1@east", "left@east"}) hello(host);
  const JobKey key{submit(plain_job()), 0};
  dispatch(key, {"left@east"});
  runs(key);
  book->hosts().host_gone("left@east", now);
  for (int round = 0; round < 200; ++round)
    for (const auto& name : lend(round)) book->hosts().host_gone(name, now);
  EXPECT_LT(book->hosts().known_hosts(), 2100U) << "of 20,000";
  EXPECT_TRUE(book->hosts().connected("hostA"));
  EXPECT_TRUE(book->hosts().connected("b1@east"));
  EXPECT_EQ(job(key).record.hosts(0).name(), "left@east");
  EXPECT_THAT(book->jobs().on_host("left@east"), ElementsAre(key));
  for (int minute = 0; minute < 60; ++minute) {  // deadlines of forgotten hosts are gone
    now.us += 60'000'000;
    book->tick(now);
  }
  EXPECT_EQ(status(key), wire::STATUS_UNKWN);
}

TEST_F(BorrowedInTheBook, LeasesOutliveAReconfiguration) {
  lent();
  book->configure(borrowing_files(), now);
  EXPECT_EQ(refused(asking_for("b1@east")), "");
  book->hosts().borrowed({HostId("b2@east")});
  EXPECT_NE(refused(asking_for("b1@east")), "");
}

TEST_F(BorrowedInTheBook, ClosingOneIsStoredAndCanBeTakenBackWithoutTheLease) {
  EXPECT_THAT(control(wire::ControlBatch::HOST_CLOSE, "b1@east"),
              ElementsAre("! b1@east: No such host or host group"));
  lent();
  EXPECT_THAT(control(wire::ControlBatch::HOST_CLOSE, "b1@east", kEve),
              ElementsAre("!! User permission denied"));
  EXPECT_THAT(control(wire::ControlBatch::HOST_CLOSE, "b1@east"), ElementsAre("Close <b1@east> ...... done"));
  EXPECT_THAT(lines(effects), ElementsAre("SaveControl host b1@east closed", "RecordEvent host control"));
  EXPECT_FALSE(book->jobs().host_control("b1@east").open);
  EXPECT_TRUE(book->jobs().host_control("b2@east").open);
  book->hosts().borrowed({});
  EXPECT_THAT(control(wire::ControlBatch::HOST_OPEN, "b1@east"), ElementsAre("Open <b1@east> ...... done"));
  EXPECT_TRUE(book->jobs().host_control("b1@east").open);
}

TEST_F(BorrowedInTheBook, ASilentClustersJobsAreUnknownAndNotRunAgain) {
  lent();
  wire::Submission asked = asking_for("b1@east");
  asked.set_rerunnable(true);
  const JobKey key{submit(asked), 0};
  hello("b1@east");
  dispatch(key, {"b1@east"});
  tells("b1@east", report::Prepared{{attempt(key)}});
  runs(key);
  book->hosts().host_gone("b1@east", now);
  for (int minute = 0; minute < 60; ++minute) {
    now.us += 60'000'000;
    book->tick(now);
  }
  EXPECT_EQ(status(key), wire::STATUS_UNKWN) << "only its own cluster knows that an attempt there is over";
  EXPECT_FALSE(book->hosts().suspects_itself()) << "hosts of ours are there";
  hello("b1@east", {{attempt(key), report::Held::State::running, true}});
  EXPECT_EQ(status(key), wire::STATUS_RUN);
  ends(key, 0);
  EXPECT_EQ(status(key), wire::STATUS_DONE);
}

}  // namespace
}  // namespace rollcall::sched::book
