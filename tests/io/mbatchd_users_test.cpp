// mbatchd and several users, each by MUNGE: whose a job is, who may change it, and what each may have of mbatchd.
#include <sys/wait.h>
#include <unistd.h>

#include "mbatchd_stage.hpp"
#include "munged.hpp"

namespace rollcall::mbatchd::test {
namespace {

using testing::HasSubstr;
using Refusal = wire::BatchReply::Refusal;

constexpr uid_t kDaemon = 1, kNobody = 65534;  // two users of every system

// A credential of that user over this conversation.
std::string credential_of(uid_t uid, const Talk& talk, const std::string& socket) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(uid) != 0 || setuid(uid) != 0) _exit(1);
    const auto made = io::munge_encode(talk.hash(), socket);
    _exit(made && write(ends[1], made->data(), made->size()) > 0 ? 0 : 1);
  }
  close(ends[1]);
  std::string credential(4096, '\0');
  const ssize_t size = read(ends[0], credential.data(), credential.size());
  credential.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return credential;
}

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
    proof.set_munge(credential_of(uid, *talk, munged_.socket()));
    talk->say(proof);
    return talk;
  }

  io::Munged munged_;
};

// Who somebody is says MUNGE, and no field of a message.
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

  // A credential of another conversation is worth nothing.
  const auto thief = stranger();
  wire::ToMbatchd stolen;
  stolen.set_munge(credential_of(0, *owner, munged_.socket()));
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
  EXPECT_FALSE(reply.has_refusal()) << "who goes gives back";
}

}  // namespace
}  // namespace rollcall::mbatchd::test
