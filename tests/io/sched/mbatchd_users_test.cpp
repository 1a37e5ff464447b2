// mbatchd and several users, each by MUNGE: whose a job is, who may change it, and what each may have of mbatchd.
#include <sys/wait.h>
#include <unistd.h>

#include "common/wire/request_parts.hpp"
#include "tests/io/common/munged.hpp"
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using Refusal = wire::BatchReply::Refusal;

constexpr uid_t kDaemon = 1, kNobody = 65534;  // two users of every system

wire::BatchRequest reconfig_request() {
  wire::BatchRequest request;
  request.mutable_control()->set_action(wire::ControlBatch::RECONFIG);
  return request;
}

class MbatchdUsers : public Stage {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    NEEDS_MUNGED(munged_);
  }
  void begin(const std::string& lsf_conf = {}) {
    write_lsf_conf(lsf_conf + "ROLLCALL_MUNGE_SOCKET=" + munged_.socket());
    expect_started();
  }
  std::unique_ptr<Talk> as(uid_t uid) const {
    auto talk = stranger();
    wire::ToMbatchd proof;
    proof.set_munge(io::credential_of(uid, talk->hash(), munged_.socket()));
    talk->say(proof);
    return talk;
  }

  io::Munged munged_;
};

// MUNGE alone says who a client is, no field of a message.
TEST_F(MbatchdUsers, OthersMayNotTouchAJob) {
  begin();
  const auto owner = as(kDaemon), other = as(kNobody);
  auto request = submit_request();
  request.mutable_submit()->mutable_jobs(0)->set_user("root");
  request.mutable_submit()->mutable_jobs(0)->set_uid(0);
  const auto reply = ask(*owner, request);
  ASSERT_EQ(reply.submitted().jobs_size(), 1) << reply.refusal().text();
  const int id = reply.submitted().jobs(0).id();
  const FakeRes::Key first{{id, 0}, 1};
  ASSERT_GT(id, 0) << reply.submitted().jobs(0).refusal().text();

  wire::BatchRequest kill_it;
  kill_it.mutable_signal()->mutable_filter()->add_keys()->set_id(id);
  kill_it.mutable_signal()->mutable_filter()->set_user("all");
  const auto refused = ask(*other, kill_it);
  EXPECT_TRUE(refused.has_refusal() || refused.outcomes().outcomes(0).failed())
      << refused.outcomes().outcomes(0).text();
  EXPECT_EQ(status(id), wire::STATUS_PEND);
  wire::BatchRequest await;
  await.mutable_await_job()->mutable_key()->set_id(id);
  EXPECT_EQ(ask(*other, await).refusal().why(), Refusal::NOT_ALLOWED);
  EXPECT_EQ(ask(*other, reconfig_request()).refusal().why(), Refusal::NOT_ALLOWED);

  auto host = res(host_);
  host->runs_at_once = false;
  host->serve(kPatience, [&] { return host->attempt(first).ordered > 0; });
  EXPECT_EQ(host->attempt(first).order.submission().uid(), kDaemon) << "the message said root";
  EXPECT_EQ(host->attempt(first).order.submission().user(), "daemon");
  const auto killed = ask(*owner, kill_it);
  EXPECT_FALSE(killed.outcomes().outcomes(0).failed()) << killed.outcomes().outcomes(0).text();

  // A credential of another conversation is refused.
  const auto thief = stranger();
  wire::ToMbatchd stolen;
  stolen.set_munge(io::credential_of(0, owner->hash(), munged_.socket()));
  thief->say(stolen);
  EXPECT_EQ(ask(*thief, reconfig_request()).refusal().why(), Refusal::NOT_ALLOWED);
}

TEST_F(MbatchdUsers, NobodyHasAllConnections) {
  begin("ROLLCALL_MBD_USER_CONNECTIONS=2\n");
  wire::BatchRequest question;
  question.mutable_parameters();
  auto first = as(kDaemon), second = as(kDaemon), third = as(kDaemon), other = as(kNobody);
  EXPECT_FALSE(ask(*first, question).has_refusal());
  EXPECT_FALSE(ask(*second, question).has_refusal());
  EXPECT_THAT(ask(*third, question).refusal().text(),
              HasSubstr("you have 2 connections with mbatchd already, and each user may have 2"));
  third->hear();
  EXPECT_TRUE(third->ended());
  EXPECT_FALSE(ask(*other, question).has_refusal()) << "others have theirs";
  EXPECT_FALSE(ask(*first, question).has_refusal()) << "one that is there goes on";
  first.reset();
  wire::BatchReply reply;
  for (int i = 0; i < 100 && (i == 0 || reply.has_refusal()); ++i) reply = ask(*as(kDaemon), question);
  EXPECT_FALSE(reply.has_refusal()) << "a client that goes gives its share back";
}

// Connections that hold almost 4 MB each of requests that never end.
TEST_F(MbatchdUsers, UnfinishedRequestsOfOneUserHaveABound) {
  begin();
  wire::ToMbatchd part, end;
  part.set_part(std::string(60'000, 'p'));
  end.set_last_part("p");
  constexpr std::size_t kParts = wire::kMostRequest / 60'000,
                        kFit = wire::kMostUnfinished / (kParts * 60'000);
  std::vector<std::unique_ptr<Talk>> crowd;
  const auto more = [&] {
    crowd.push_back(as(kDaemon));
    for (std::size_t sent = 0; sent < kParts; ++sent) crowd.back()->say(part);
  };
  for (std::size_t i = 0; i < kFit; ++i) more();
  // Until mbatchd has read what these sent, one more finds room: its bytes are no BatchRequest, and end it.
  std::optional<wire::FromMbatchd> refused;
  for (int i = 0; i < 100 && !refused; ++i) {
    more();
    more();
    crowd.back()->say(end);
    refused = crowd.back()->hear();
    if (!refused) crowd.pop_back();
  }
  ASSERT_TRUE(refused) << log();
  EXPECT_EQ(refused->reply().refusal().why(), Refusal::STARTING) << "a client comes again";
  EXPECT_THAT(refused->reply().refusal().text(), HasSubstr("each user may have 67108864"));
  crowd.back()->hear();
  EXPECT_TRUE(crowd.back()->ended());
  wire::BatchRequest question;
  question.mutable_parameters();
  EXPECT_FALSE(ask(*as(kNobody), question).has_refusal()) << "others have theirs";
  EXPECT_FALSE(ask(*as(kDaemon), question).has_refusal()) << "small requests take no share";
  // Closed connections give back what they held.
  crowd.clear();
  wire::BatchReply reply;
  for (int i = 0; i < 100 && (i == 0 || reply.has_refusal()); ++i) {
    const auto next = as(kDaemon);
    for (std::size_t sent = 0; sent < 3; ++sent) next->say(part);
    reply = ask(*next, question);
  }
  EXPECT_FALSE(reply.has_refusal()) << reply.refusal().text();
}

TEST_F(MbatchdUsers, RequestsThatNoCommandSendsAreRefused) {
  begin();
  const auto talk = as(kDaemon);
  wire::BatchRequest arrays;
  for (int i = 0; i < 300; ++i) {
    *arrays.mutable_submit()->add_jobs() = submit_request().submit().jobs(0);
    auto& range = *arrays.mutable_submit()->mutable_jobs(i)->add_indices();
    range.set_first(1);
    range.set_last(1000);
    range.set_step(1);
  }
  EXPECT_EQ(ask(*talk, arrays).refusal().text(),
            "found 300000 jobs and array elements in one request, expected at most 20000");
  wire::BatchRequest empty;
  for (std::size_t i = 0; i <= 30'000; ++i) empty.mutable_submit()->add_jobs();
  wire::ToMbatchd last;
  last.set_last_part(empty.SerializeAsString());
  talk->say(last);
  auto reply = talk->hear();
  ASSERT_TRUE(reply) << log();
  EXPECT_EQ(reply->reply().refusal().text(), "found 30001 jobs in one request, expected at most 20000");
  wire::ToMbatchd part;
  part.set_part(std::string(60'000, 'p'));
  for (std::size_t sent = 0; sent <= wire::kMostRequest; sent += 60'000) talk->say(part);
  talk->say(last);
  reply = talk->hear();
  ASSERT_TRUE(reply) << log();
  EXPECT_EQ(reply->reply().refusal().text(),
            "found a request of more than 4194304 bytes, expected a smaller one");
}

}  // namespace
}  // namespace rollcall::mbatchd::test
