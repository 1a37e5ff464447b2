// Two clusters with hosts of the same names: what is placed, heard and counted on one host never shows on its namesakes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

const std::vector<std::string> kHosts{"hostA", "hostA@east", "hostA@west", "hostB", "hostB@east"};

const ConfigView& site() {
  static const ConfigView view = site_files();
  return view;
}

// The Book, and what it should say of each host by its written name.
class World {
 public:
  World() {
    book.configure(site(), now);
    book.set_term(1);
    book.rows().loaded(now);
  }

  void step() {
    now.us += 1'000'000;
    switch (pick(0, 4)) {
      case 0:
      case 1:
        return place();
      case 2:
        return end();
      case 3:
        return come(any_host());
      default:
        return go(any_host());
    }
  }

  void check() const {
    for (const std::string& host : kHosts) {
      std::set<JobKey> jobs;
      std::uint32_t slots = 0;
      for (const auto& [key, placement] : placed_)
        for (const auto& on : placement)
          if (on.host.text() == host) jobs.insert(key), slots += static_cast<std::uint32_t>(on.slots);
      RC_ASSERT(book.jobs().on_host(host) == jobs);
      RC_ASSERT(book.jobs().host_counts(host).jobs == slots);
      RC_ASSERT(book.hosts().connected(host) == (connected_.count(host) != 0));
    }
    RC_ASSERT(book.jobs().on_host("hostB@west").empty());
    RC_ASSERT(book.broken_invariant() == "");
  }

 private:
  static std::string any_host() { return kHosts[static_cast<std::size_t>(pick(0, 4))]; }

  void place() {
    wire::Submit request;
    *request.add_jobs() = plain_job();
    const JobKey key{book.commands().submit(request, kAnn, now).reply.submitted().jobs(0).id(), 0};
    event::Dispatched plan;
    const std::string first = any_host(), second = any_host();
    plan.placement.hosts.push_back({HostId(first), pick(1, 3)});
    if (second != first) plan.placement.hosts.push_back({HostId(second), pick(1, 3)});
    book.hosts().dispatch(key, plan, now);
    placed_[key] = plan.placement.hosts;
  }
  // Only its first host ends a job, not a host of the same name elsewhere.
  void end() {
    if (placed_.empty()) return;
    const auto ending = std::next(placed_.begin(), pick(0, static_cast<int>(placed_.size()) - 1));
    const std::string& first = ending->second[0].host.text();
    report::Over told;
    told.attempt = {ending->first, 1};
    told.end_us = now.us;
    for (const std::string& host : kHosts)
      if (host != first) book.hosts().host_told(host, told, now);
    check();
    book.hosts().host_told(first, told, now);
    placed_.erase(ending);
  }
  void come(const std::string& host) {
    report::HostCame came;
    for (const auto& [key, placement] : placed_)
      for (const auto& on : placement)
        if (on.host.text() == host)
          came.jobs.push_back({{key, 1}, report::Held::State::running, &on == placement.data()});
    book.hosts().host_told(host, came, now);
    connected_.insert(host);
  }
  void go(const std::string& host) {
    book.hosts().host_gone(host, now);
    connected_.erase(host);
  }

  WallTime now = wall_seconds(1'000'000);
  Book book;
  std::map<JobKey, std::vector<Placement::Slots>> placed_;
  std::set<std::string> connected_;
};

RC_GTEST_PROP(BookHostsOfClusters, NeverMeetInOneSlotCount, ()) {
  World world;
  for (int i = 0; i < 30; ++i) {
    world.step();
    world.check();
  }
}

class TwoClustersInTheBook : public BookTest {};

TEST_F(TwoClustersInTheBook, OnlyTheLostHostsJobsAreLost) {
  for (const char* host : {"hostA", "hostA@east", "hostB"}) hello(host);
  const JobKey ours{submit(plain_job()), 0}, theirs{submit(plain_job()), 0};
  dispatch(ours, {"hostA"});
  dispatch(theirs, {"hostA@east"});
  EXPECT_THAT(orders(effects), testing::Each(testing::HasSubstr("hostA@east")));
  runs(ours);
  runs(theirs);
  book->hosts().host_gone("hostA@east", now);
  for (int minute = 0; minute < 60; ++minute) {
    now.us += 60'000'000;
    book->tick(now);
  }
  EXPECT_EQ(status(theirs), wire::STATUS_UNKWN);
  EXPECT_EQ(status(ours), wire::STATUS_RUN);
}

TEST_F(TwoClustersInTheBook, TheRecordNamesTheHostAsItIsWritten) {
  const JobKey job{submit(plain_job()), 0};
  dispatch(job, {"hostA@east"});
  EXPECT_EQ(book->jobs().find(job)->record.hosts(0).name(), "hostA@east");
  EXPECT_EQ(placement_of(book->jobs().find(job)->record).hosts[0].host.cluster(), "east");
}

}  // namespace
}  // namespace rollcall::sched::book
