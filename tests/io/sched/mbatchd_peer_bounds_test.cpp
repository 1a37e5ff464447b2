// What a master of another cluster can make a real mbatchd store, run or wait for: it tells too much, or answers nothing.
#include <algorithm>

#include "tests/io/sched/lying_peer_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

class PeerBounds : public LyingPeers {
 protected:
  std::string events() const { return file(share() + "/logdir/lsb.events"); }
  // A job with far more slots than were asked for: 2 KB on the wire.
  static void claim_slots(wire::JobElsewhere& job) {
    for (int i = 0; i < 120; ++i) {
      auto& host = *job.add_hosts();
      host.set_name("e" + std::to_string(i));
      host.set_slots(1'000'000);
    }
  }
  // An array of that many jobs, the most that one may have.
  int submit_thousand(const std::string& queue) const {
    auto request = submit_request();
    auto& array = *request.mutable_submit()->mutable_jobs(0);
    array.set_job_name("many");
    array.add_queues(queue);
    auto& range = *array.add_indices();
    range.set_first(1);
    range.set_last(1000);
    range.set_step(1);
    const auto reply = ask(request);
    return reply.submitted().jobs_size() == 1 ? reply.submitted().jobs(0).id() : 0;
  }
  // A job that waits, is not offered, and says why.
  std::string why_not_offered(int id, const std::string& expected) const {
    wire::BatchRequest request;
    request.mutable_jobs()->mutable_filter()->add_keys()->set_id(id);
    request.mutable_jobs()->mutable_filter()->set_user("all");
    request.mutable_jobs()->set_reasons(true);
    std::string table;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    do {
      const auto reply = ask(request);
      table = reply.jobs().jobs_size() == 1 ? reply.jobs().jobs(0).remote_queues() : "";
    } while (table.find(expected) == std::string::npos && std::chrono::steady_clock::now() < until);
    return table;
  }
  std::string cluster_status(const std::string& queue) const {
    wire::BatchRequest request;
    request.mutable_clusters();
    const auto reply = ask(request);
    for (const auto& row : reply.clusters().rows())
      if (row.queue() == queue && row.cluster() == "east")
        return row.status() + (row.why().empty() ? "" : ": " + row.why());
    return "no row";
  }
};

// Event files name each slot of a job: mbatchd wrote gigabytes, was killed for its memory, and met the same job when it started again.
TEST_F(PeerBounds, MillionsOfSlotsThatAJobIsSaidToHaveAreNotStored) {
  expect_started();
  auto east = peer();
  const auto attempt = runs_at(*east, "to_east");
  auto state = state_of(attempt, wire::STATUS_SSUSP);
  claim_slots(*state.mutable_state()->mutable_job());
  ASSERT_LT(state.ByteSizeLong(), 2048U);
  say(*east, state);
  ASSERT_TRUE(serves(*east)) << log();
  EXPECT_EQ(status(attempt.key().id()), wire::STATUS_RUN) << "nothing of such a message is believed";
  wire::PeerMessage held;
  *held.mutable_held()->add_running() = state.state();
  held.mutable_held()->set_last(true);
  east = call();
  hear(*east);
  say(*east, hello(6));
  say(*east, held);
  ASSERT_TRUE(serves(*east)) << log();
  auto end = over_of(attempt, 0);
  claim_slots(*end.mutable_over()->mutable_job());
  say(*east, end);
  ASSERT_TRUE(serves(*east)) << log();
  EXPECT_THAT(log(), HasSubstr("found a job on 120 hosts with 120000000 slots, expected at most 16"));
  kill_hard();
  expect_started();
  EXPECT_LT(events().size(), 20'000U);
  expect_own_jobs_run();
}

TEST_F(PeerBounds, AccountsOfTheSystemAndAdministratorsOfQueuesRunNoneOfTheirJobs) {
  std::string conf = file(directory_ + "/conf/lsf.conf");
  const std::string off = "ROLLCALL_GUEST_UID_MIN=0\n";
  ASSERT_NE(conf.find(off), std::string::npos);
  conf.erase(conf.find(off), off.size());  // the default: 1000
  write("lsf.conf", conf);
  expect_started();
  auto east = peer();
  int id = 0;
  for (const char* account : {"daemon", "bin", "mail", "nobody"})
    EXPECT_THAT(answer(*east, offer_of(++id, account)), HasSubstr("is an account of the system")) << account;
  EXPECT_EQ(jobs_here(), 0);
  kill_hard();
  write("lsf.conf", conf + off);
  write_queues("RCVJOBS_FROM = east\nADMINISTRATORS = nobody\n");
  expect_started();
  east = peer("east", 6);
  EXPECT_THAT(answer(*east, offer_of(++id)), HasSubstr("user nobody is an administrator of queue normal"));
  EXPECT_EQ(answer(*east, offer_of(++id, "daemon")), "accepted");
}

TEST_F(PeerBounds, OddMessagesCostLinesOfTheLogAndNoConnection) {
  expect_started();
  const auto east = peer();
  const auto attempt = runs_at(*east, "to_east");
  for (int i = 0; i < 200; ++i) {
    say(*east, state_of(attempt, static_cast<wire::JobStatus>(4711 + i)));
    say(*east, state_of(attempt_of(0), wire::STATUS_RUN));
    say(*east, over_of(attempt, 0, static_cast<Over::How>(77)));
  }
  EXPECT_TRUE(serves(*east)) << "the same connection";
  EXPECT_LE(count(log(), "cluster east: "), 22U);
  EXPECT_EQ(status(attempt.key().id()), wire::STATUS_RUN);
  say(*east, over_of(attempt, 0));
  EXPECT_TRUE(hear_kind(*east, What::kAcknowledge));
  EXPECT_EQ(status(attempt.key().id()), wire::STATUS_DONE);
}

TEST_F(PeerBounds, ChangesOfAJobWithoutEndFillNoEventFile) {
  expect_started();
  auto east = peer();
  const auto attempt = runs_at(*east, "to_east");
  const int id = attempt.key().id();
  const auto flood = [&](std::uint64_t term) {
    for (int i = 0; i < 3000; ++i)
      say(*east, state_of(attempt, i % 3 == 0   ? wire::STATUS_PEND
                                   : i % 3 == 1 ? wire::STATUS_RUN
                                                : wire::STATUS_SSUSP));
    EXPECT_TRUE(serves(*east)) << log();
    east = call();
    hear(*east);
    say(*east, hello(term));
    wire::PeerMessage held;
    *held.mutable_held()->add_running() = state_of(attempt, wire::STATUS_USUSP).state();
    held.mutable_held()->set_last(true);
    say(*east, held);
    EXPECT_TRUE(serves(*east)) << log();
  };
  flood(6);
  flood(7);
  EXPECT_EQ(count(log(), "faster than they are stored"), 1U) << log();
  say(*east, over_of(attempt, 3 << 8));
  ASSERT_TRUE(hear_kind(*east, What::kAcknowledge)) << log();
  EXPECT_EQ(record(id).exit_status(), 3 << 8) << "an end does not wait";
  // Accepting it and taking that back is a change as well.
  ASSERT_GT(submit_to("to_east"), 0);
  const auto again = hear_kind(*east, What::kOffer);
  ASSERT_TRUE(again) << log();
  for (int i = 0; i < 1000; ++i) {
    say(*east, state_of(again->offer().attempt(), wire::STATUS_PEND));
    say(*east, over_of(again->offer().attempt(), 0, Over::UNKNOWN));
  }
  EXPECT_TRUE(serves(*east)) << log();
  EXPECT_EQ(stop(), 0);
  EXPECT_LT(count(events(), "\n"), 300U);
}

TEST_F(PeerBounds, OffersThatAreNotAnsweredStopTheNextOnes) {
  write_lsf_conf("ROLLCALL_PEER_KEYS=" + keys_ +
                 "\nROLLCALL_PEERS=\"east=none north=none\"\nLSB_MAX_FORWARD_PER_SESSION=100000\n");
  expect_started();
  const auto east = peer();
  const auto north = peer("north");
  for (int i = 0; i < 3; ++i) ASSERT_GT(submit_thousand("to_east"), 0) << log();
  std::vector<wire::ForwardAttempt> offered;
  while (offered.size() < 1000) {
    const auto offer = hear_kind(*east, What::kOffer);
    ASSERT_TRUE(offer) << offered.size() << log();
    offered.push_back(offer->offer().attempt());
  }
  const int late = submit_to("to_east");
  EXPECT_THAT(why_not_offered(late, "has not answered"), HasSubstr("its cluster has not answered"));
  EXPECT_THAT(cluster_status("to_east"), HasSubstr("reject: its cluster has not answered"));
  runs_at(*north, "to_north");
  expect_own_jobs_run();
  // It answers after all, and gets the others.
  for (std::size_t answered = 0; answered < 3001; ++answered) {
    if (answered == offered.size()) {
      const auto offer = hear_kind(*east, What::kOffer);
      ASSERT_TRUE(offer) << answered << log();
      offered.push_back(offer->offer().attempt());
    }
    say(*east, state_of(offered[answered], wire::STATUS_RUN));
  }
  EXPECT_TRUE(serves(*east));
  EXPECT_EQ(status(late), wire::STATUS_RUN);
  EXPECT_EQ(cluster_status("to_east"), "ok");
}

TEST_F(PeerBounds, APeerThatRefusesEverythingIsNotOfferedWithoutEnd) {
  write_lsf_conf("ROLLCALL_PEER_KEYS=" + keys_ +
                 "\nROLLCALL_PEERS=\"east=none north=none\"\nLSB_MAX_FORWARD_PER_SESSION=1000\n");
  write("lsbatch/test/configdir/lsb.params", "Begin Parameters\nMBD_SLEEP_TIME = 600\nEnd Parameters\n");
  expect_started();
  const auto east = peer();
  for (int i = 0; i < 3; ++i) ASSERT_GT(submit_thousand("to_east"), 0) << log();
  std::size_t refused = 0;
  const int last = submit_to("to_east");
  for (; refused < 1000; ++refused) {
    const auto offer = hear_kind(*east, What::kOffer);
    ASSERT_TRUE(offer) << refused << log();
    say(*east, over_of(offer->offer().attempt(), 0, Over::REFUSED));
  }
  EXPECT_THAT(why_not_offered(last, "has refused"), HasSubstr("its cluster has refused"));
  expect_own_jobs_run();
}

// What is told when the clusters connect has neither processes nor parts that fit into no message.
TEST_F(PeerBounds, WhatIsHeldForAClusterIsToldInPartsThatFit) {
  write_queues(std::string("RCVJOBS_FROM = east\nIMPT_JOBBKLG = 10000\n"));
  expect_started();
  const auto host = res(host_);
  host->runs_at_once = false;
  auto east = peer();
  ASSERT_EQ(answer(*east, offer_of(1)), "accepted");
  host->serve(kPatience, [&] { return host->attempts().size() == 1; });
  const auto key = host->attempts().begin()->first;
  host->say_running(key);
  wire::FromRes used;
  auto& told = *used.mutable_usage();
  told.mutable_job()->mutable_key()->set_id(key.first.first);
  told.mutable_job()->set_attempt(key.second);
  for (int i = 0; i < 50'000; ++i) told.mutable_usage()->add_pids(i + 1);
  host->say(used);
  for (int id = 2; id <= 2000; ++id) say(*east, offer_of(id));
  EXPECT_TRUE(serves(*east)) << log();
  east = call();
  hear(*east);
  say(*east, hello(6));
  std::size_t parts = 0, jobs = 0, largest = 0;
  for (bool last = false; !last; ++parts) {
    const auto payload = east->hear_payload();
    ASSERT_TRUE(payload) << log();
    wire::PeerMessage message;
    ASSERT_TRUE(message.ParseFromString(*payload));
    if (!message.has_held()) continue;
    largest = std::max(largest, payload->size());
    for (const auto& state : message.held().running()) {
      ++jobs;
      EXPECT_EQ(state.job().usage().pids_size(), 0);
    }
    last = message.held().last();
  }
  EXPECT_EQ(jobs, 2000U);
  EXPECT_LT(largest, std::size_t{300} << 10);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
