// mbatchd that is killed between the commit of a submission and its answer; who is believed to be a host's RES; requests that
// mean very many jobs.
#include <algorithm>
#include <random>
#include <set>

#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

using Repeated = Stage;

wire::BatchRequest with_token(wire::BatchRequest request, const std::string& token) {
  request.mutable_submit()->set_token(token);
  return request;
}
int id_of(const wire::BatchReply& reply) {
  return reply.submitted().jobs_size() == 1 ? reply.submitted().jobs(0).id() : 0;
}

// At seeded instants: before the commit, after it, and (every second time) certainly behind it, with the answer thrown away.
TEST_F(Repeated, ASubmissionWhoseAnswerWasLostIsThereOnce) {
  std::mt19937 random(815);
  expect_started();
  std::set<int> ids;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    const auto request = with_token(submit_request(), std::string(15, 't') + static_cast<char>('a' + round));
    const auto talk = client();
    wire::ToMbatchd message;
    *message.mutable_request() = request;
    talk->say(message);
    const bool committed = round % 2 == 1;
    const auto lost = talk->hear(committed ? milliseconds(kPatience) : milliseconds(random() % 12));
    ASSERT_TRUE(lost || !committed) << log();
    kill_hard();
    expect_started();
    const int id = id_of(ask(request));
    ASSERT_GT(id, 0) << log();
    if (lost) {
      EXPECT_EQ(id, id_of(lost->reply())) << "the answer is the one that was lost";
    }
    EXPECT_TRUE(ids.insert(id).second) << "another token is another job";
    EXPECT_EQ(id_of(ask(request)), id) << "without a kill as well";
  }
  wire::BatchRequest all;
  all.mutable_jobs()->mutable_filter()->set_user("all");
  EXPECT_EQ(ask(all).jobs().jobs_size(), kRounds) << "no job is there twice";
}

TEST_F(Repeated, AResOfAnotherHostIsNotBelieved) {
  write("hosts", "127.0.0.1 " + host_ + "\n192.0.2.2 other\n");
  expect_started();
  FakeRes liar("other");
  liar.connect(port_, key_);
  liar.serve(kPatience, [&] { return !liar.connected(); });
  EXPECT_FALSE(liar.connected());
  EXPECT_EQ(liar.term(), 0u) << "it was not welcomed";
  EXPECT_THAT(
      log(), HasSubstr("refused a RES at 127.0.0.1 that says it is on other: found the addresses 192.0.2.2"));
  auto honest = res(host_);
  const int id = submit();
  honest->serve(kPatience, [&] { return honest->attempt({{id, 0}, 1}).acknowledged; });
  EXPECT_TRUE(honest->attempt({{id, 0}, 1}).acknowledged) << log();
}

TEST_F(Repeated, OnItsOwnHostAnyLoopbackWillDo) {
  write("hosts", "127.0.1.1 " + host_ + "\n192.0.2.2 other\n");
  expect_started();
  auto own = res(host_);
  own->serve(kPatience, [&] { return own->term() > 0; });
  EXPECT_GT(own->term(), 0u) << log();
}

TEST_F(Repeated, AHostWithSeveralAddressesIsBelievedAtEach) {
  write("hosts", "127.0.0.1 " + host_ + "\n192.0.2.2 other\n127.0.0.1 other-ib other\n");
  expect_started();
  auto other = res("other");
  other->serve(kPatience, [&] { return other->term() > 0; });
  EXPECT_GT(other->term(), 0u) << log();
}

TEST_F(Repeated, ASiteBehindAddressTranslationSwitchesItOff) {
  write_lsf_conf("ROLLCALL_CHECK_ADDRESSES=N");
  write("hosts", "127.0.0.1 " + host_ + "\n192.0.2.2 other\n");
  expect_started();
  auto other = res("other");
  other->serve(kPatience, [&] { return other->term() > 0; });
  EXPECT_GT(other->term(), 0u) << log();
  EXPECT_THAT(log(), Not(HasSubstr("refused a RES")));
}

// Others are answered between the pieces, and the answer has a line for each job.
TEST_F(Repeated, OthersAreAnsweredWhileVeryManyJobsAreKilled) {
  expect_started();
  constexpr int kJobs = 3000;
  const auto killer = client();
  for (int i = 0; i < kJobs / 100; ++i) {
    wire::BatchRequest many;
    for (int job = 0; job < 100; ++job)
      *many.mutable_submit()->add_jobs() = submit_request().submit().jobs(0);
    ASSERT_EQ(ask(*killer, many).submitted().jobs_size(), 100) << log();
  }
  const auto other = client();
  wire::ToMbatchd kill;
  kill.mutable_request()->mutable_signal();
  killer->say(kill);
  const auto first = killer->hear();
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->reply().last()) << "a part of it";
  wire::BatchRequest question;
  question.mutable_parameters();
  EXPECT_FALSE(ask(*other, question).has_refusal());
  wire::BatchReply all = first->reply();
  while (!all.last()) {
    const auto part = killer->hear();
    ASSERT_TRUE(part) << log();
    all.MergeFrom(part->reply());
  }
  EXPECT_EQ(all.outcomes().outcomes_size(), kJobs);
  wire::BatchRequest left;
  left.mutable_jobs()->mutable_filter()->set_user("all");
  EXPECT_EQ(ask(left).jobs().jobs_size(), 0);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
