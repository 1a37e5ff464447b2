// The stage for tests of mbatchd with the masters of the clusters east and north, which have their keys, speak the protocol and lie.
#pragma once

#include <optional>
#include <string>

#include "tests/io/sched/peer_stage.hpp"

namespace rollcall::mbatchd::test {

using What = wire::PeerMessage::WhatCase;
using Over = wire::ForwardOver;

inline constexpr const char* kGuest = "nobody";  // an account of every host, and no administrator
inline constexpr const char* kQueues =
    "RCVJOBS_FROM = east north\nNICE = 5\nRUNLIMIT = 10\nIMPT_JOBBKLG = 20\nEnd Queue\n"
    "Begin Queue\nQUEUE_NAME = special\nUSERS = root\nRCVJOBS_FROM = east\nEnd Queue\n"
    "Begin Queue\nQUEUE_NAME = to_east\nHOSTS = none\nSNDJOBS_TO = guests@east\nEnd Queue\n"
    "Begin Queue\nQUEUE_NAME = to_north\nHOSTS = none\nSNDJOBS_TO = guests@north\n";

inline wire::ForwardAttempt attempt_of(int id, std::uint64_t number = 1) {
  wire::ForwardAttempt attempt;
  attempt.mutable_key()->set_id(id);
  attempt.set_attempt(number);
  return attempt;
}
inline wire::PeerMessage offer_of(int id, const std::string& user = kGuest) {
  wire::PeerMessage message;
  auto& offer = *message.mutable_offer();
  *offer.mutable_attempt() = attempt_of(id);
  offer.set_queue("normal");
  auto& asked = *offer.mutable_asked();
  asked.set_command("true");
  asked.set_cwd("/tmp");
  asked.set_umask(022);
  asked.set_from_host("e1");
  asked.set_from_type("X86_64");
  asked.set_user(user);
  return message;
}
inline wire::PeerMessage state_of(const wire::ForwardAttempt& attempt, wire::JobStatus status) {
  wire::PeerMessage message;
  auto& state = *message.mutable_state();
  *state.mutable_attempt() = attempt;
  state.mutable_job()->mutable_key()->set_id(70);
  state.mutable_job()->set_queue("guests");
  state.mutable_job()->set_status(status);
  state.mutable_job()->set_signal_number(1'000'000);
  return message;
}
inline wire::PeerMessage over_of(const wire::ForwardAttempt& attempt, int exit_status,
                                 Over::How how = Over::ENDED) {
  wire::PeerMessage message;
  auto& over = *message.mutable_over();
  *over.mutable_attempt() = attempt;
  over.set_how(how);
  over.set_exit_status(exit_status);
  *over.mutable_job() = state_of(attempt, wire::STATUS_DONE).state().job();
  return message;
}

class LyingPeers : public PeerStage {
 protected:
  LyingPeers() {
    write_key("north", north_);
    write_queues(kQueues);
    write("lsbatch/test/configdir/lsb.users",
          "Begin UserMap\nLOCAL REMOTE DIRECTION\nroot eve@east import\nroot (eve@east eve@north) export\n"
          "nobody (eve@east mary@east) import\nEnd UserMap\n");
  }
  // The cluster east or north, greeted, which says that it holds nothing of ours.
  std::unique_ptr<Talk> peer(const std::string& cluster = "east", std::uint64_t term = 5) {
    auto talk = call_with(cluster == "east" ? east_ : north_, cluster);
    EXPECT_TRUE(talk->open()) << log();
    hear(*talk);
    say(*talk, hello(term, cluster[0], cluster));
    wire::PeerMessage held;
    held.mutable_held()->set_last(true);
    say(*talk, held);
    EXPECT_TRUE(serves(*talk)) << log();
    return talk;
  }
  // The next message of that kind.
  static std::optional<wire::PeerMessage> hear_kind(Talk& talk, What kind) {
    while (auto message = hear(talk))
      if (message->what_case() == kind) return message;
    return std::nullopt;
  }
  // "accepted", or why the attempt is over.
  static std::string answer(Talk& talk, const wire::PeerMessage& message) {
    const auto& about = message.has_offer()    ? message.offer().attempt()
                        : message.has_signal() ? message.signal().attempt()
                                               : message.recall().attempt();
    const auto same = [&](const wire::ForwardAttempt& one) {
      return one.SerializeAsString() == about.SerializeAsString();
    };
    say(talk, message);
    while (const auto said = hear(talk)) {
      if (said->has_state() && same(said->state().attempt())) return "accepted";
      if (said->has_over() && same(said->over().attempt()))
        return Over::How_Name(said->over().how()) + ": " + said->over().why();
    }
    return "the connection has ended";
  }
  int submit_to(const std::string& queue) const {
    auto request = submit_request();
    request.mutable_submit()->mutable_jobs(0)->add_queues(queue);
    const auto reply = ask(request);
    return reply.submitted().jobs_size() == 1 ? reply.submitted().jobs(0).id() : 0;
  }
  // Submits a job that is offered to the peer, which accepts it and says that it runs.
  wire::ForwardAttempt runs_at(Talk& talk, const std::string& queue) {
    const int id = submit_to(queue);
    const auto offered = hear_kind(talk, What::kOffer);
    EXPECT_TRUE(offered) << why_pending(id) << log();
    if (!offered) return {};
    EXPECT_EQ(offered->offer().attempt().key().id(), id);
    say(talk, state_of(offered->offer().attempt(), wire::STATUS_RUN));
    EXPECT_TRUE(serves(talk));
    EXPECT_EQ(status(id), wire::STATUS_RUN);
    return offered->offer().attempt();
  }
  wire::JobRecord record(int id) const {
    wire::BatchRequest request;
    auto& filter = *request.mutable_jobs()->mutable_filter();
    filter.add_keys()->set_id(id);
    filter.set_user("all");
    filter.set_finished_too(true);
    const auto reply = ask(request);
    return reply.jobs().jobs_size() == 1 ? reply.jobs().jobs(0).record() : wire::JobRecord();
  }
  int jobs_here() const {
    wire::BatchRequest all;
    all.mutable_jobs()->mutable_filter()->set_user("all");
    all.mutable_jobs()->mutable_filter()->set_finished_too(true);
    return ask(all).jobs().jobs_size();
  }
  // An own job goes through a RES of ours.
  void expect_own_jobs_run() {
    const auto host = res(host_);
    const int id = submit();
    ASSERT_GT(id, 0) << log();
    host->serve(kPatience, [&] { return host->attempt({{id, 0}, 1}).acknowledged; });
    EXPECT_EQ(status(id), wire::STATUS_DONE) << why_pending(id) << log();
  }

  const io::Seed north_ = secret(0x33);
};

}  // namespace rollcall::mbatchd::test
