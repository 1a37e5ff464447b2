// Orders and reports of the engine's interface as RES's messages, and back: no field is lost.
#include "sched/mbatchd/res_translation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::mbatchd {
namespace {

using sched::Attempt;
using testing::ElementsAre;
using wire::FromRes;
using wire::ToRes;
namespace order = sched::order;
namespace report = sched::report;

const Attempt kThird{{12, 3}, 4};

std::string name_of(const wire::JobAttempt& job) {
  return text(Attempt{sched::key_of(job.key()), job.attempt()});
}
void set_third(wire::JobAttempt& job) {
  sched::set_key(*job.mutable_key(), kThird.job);
  job.set_attempt(kThird.number);
}
template <class Report>
Report heard(const FromRes& told) {
  const auto report = report_of(told);
  if (!report || !std::holds_alternative<Report>(*report)) {
    ADD_FAILURE() << "another report, or none";
    return {};
  }
  return std::get<Report>(*report);
}

wire::ExecHost host(const std::string& name, unsigned slots) {
  wire::ExecHost host;
  host.set_name(name);
  host.set_slots(slots);
  return host;
}

TEST(ResWords, AnOrderHasTheGrantsOfItsSlots) {
  ToRes start, expect;
  start.mutable_start();
  expect.mutable_expect();
  for (auto* order : {&start, &expect}) put_grants({{5, {7, 3}}}, *order);
  ASSERT_EQ(start.start().grants_size(), 1);
  EXPECT_EQ(start.start().grants(0).lease(), 5U);
  EXPECT_EQ(start.start().grants(0).term(), 7U);
  EXPECT_EQ(start.start().grants(0).counter(), 3U);
  EXPECT_EQ(expect.expect().grants_size(), 1);
}

TEST(ResWords, GrantsAreNamedAndAnswered) {
  const ToRes named = to_res(sched::lease::GrantQuestion{9, {{5, {7, 3}}}, {4}});
  EXPECT_EQ(named.grants().number(), 9U);
  EXPECT_EQ(named.grants().newest(0).counter(), 3U);
  EXPECT_EQ(named.grants().over(0), 4U);
  FromRes::GrantsHeld told;
  told.set_number(9);
  told.set_why_not("disk full");
  auto& newest = *told.add_newest();
  newest.set_lease(5);
  newest.set_counter(2);
  for (const auto state : {FromRes::Held::RUNNING, FromRes::Held::OVER}) {
    auto& job = *told.add_jobs();
    set_third(*job.mutable_job());
    job.set_state(state);
    job.add_grants()->set_lease(5);
  }
  const auto answer = grants_of(told);
  EXPECT_EQ(answer.question, 9U);
  EXPECT_EQ(answer.why_not, "disk full");
  EXPECT_EQ(answer.newest.at(5), (sched::lease::GrantNumber{0, 2}));
  ASSERT_EQ(answer.jobs.size(), 2U);
  EXPECT_EQ(answer.jobs[0].attempt, kThird);
  EXPECT_THAT(answer.jobs[0].leases, ElementsAre(5U));
  EXPECT_FALSE(answer.jobs[0].over);
  EXPECT_TRUE(answer.jobs[1].over);
}

TEST(ResWords, AStartHasAllOfTheOrder) {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_command("true");
  asked->add_environment("A=1");
  order::Start start;
  start.attempt = kThird;
  start.asked = asked;
  start.hosts = {host("a", 2), host("b", 1)};
  start.limits.set_run_s(60);
  start.queue = "q";
  start.job_starter = "js";
  start.queue_pre_exec = "pre";
  start.queue_post_exec = "post";
  start.environment = {"LSB_JOBID=12", "B=2"};
  start.nice = 5;
  start.controls = {"s", "r", "t"};
  start.effective_resreq = "select[x]";
  start.cluster = "c";
  start.gpus = "0,1";
  start.submit_us = 7;
  start.requested_memory_kb = 8;
  start.mail_report_only = true;
  const ToRes message = to_res(start);
  const auto& said = message.start();
  EXPECT_EQ(name_of(said.job()), "12[3] attempt 4");
  EXPECT_EQ(said.submission().SerializeAsString(), asked->SerializeAsString());
  ASSERT_EQ(said.hosts_size(), 2);
  EXPECT_EQ(said.hosts(0).name() + std::to_string(said.hosts(0).slots()) + said.hosts(1).name(), "a2b");
  EXPECT_EQ(said.limits().run_s(), 60);
  EXPECT_EQ(
      said.queue() + " " + said.job_starter() + " " + said.queue_pre_exec() + " " + said.queue_post_exec(),
      "q js pre post");
  EXPECT_THAT(said.environment(), ElementsAre("LSB_JOBID=12", "B=2"));
  EXPECT_EQ(said.nice(), 5);
  EXPECT_EQ(said.controls().suspend() + said.controls().resume() + said.controls().terminate(), "srt");
  EXPECT_EQ(said.effective_resreq() + " " + said.cluster() + " " + said.gpus(), "select[x] c 0,1");
  EXPECT_EQ(said.submit_us(), 7);
  EXPECT_EQ(said.requested_memory_kb(), 8U);
  EXPECT_TRUE(said.mail_report_only());
}

TEST(ResWords, OrderOfAnotherHostIsTranslated) {
  wire::Limits limits;
  limits.set_memory_kb(9);
  const ToRes message = to_res(order::Expect{kThird, "ann", 1001, {host("a", 1)}, limits, "2"});
  EXPECT_EQ(name_of(message.expect().job()), "12[3] attempt 4");
  EXPECT_EQ(message.expect().user() + message.expect().hosts(0).name() + message.expect().gpus(), "anna2");
  EXPECT_EQ(message.expect().uid(), 1001U);
  EXPECT_EQ(message.expect().limits().memory_kb(), 9);
  EXPECT_EQ(name_of(acknowledgement(kThird).acknowledge().job()), "12[3] attempt 4");
  EXPECT_EQ(name_of(release(kThird).release().job()), "12[3] attempt 4");
}

TEST(ResWords, EachActionOfASignalIsTranslated) {
  using Sent = wire::SentSignal;
  using Order = ToRes::SignalJob;
  const std::pair<Sent::Action, Order::Action> kActions[] = {{Sent::SEND, Order::SEND},
                                                             {Sent::TERMINATE, Order::TERMINATE},
                                                             {Sent::SUSPEND, Order::SUSPEND},
                                                             {Sent::RESUME, Order::RESUME},
                                                             {Sent::LIMITS, Order::LIMITS}};
  int number = 0;
  for (const auto& [action, expected] : kActions) {
    Sent sent;
    sent.set_action(action);
    sent.set_signal(10);
    sent.set_sequential(true);
    sent.set_term_reason(5);
    sent.set_number(77);
    sent.mutable_limits()->set_run_s(3);
    sent.set_terminate_us(6);
    const auto said = to_res(order::Signal{kThird, sent, 4}).signal();
    EXPECT_EQ(said.action(), expected);
    EXPECT_EQ(static_cast<int>(action), number++) << "stores have these numbers";
    EXPECT_EQ(name_of(said.job()), "12[3] attempt 4");
    EXPECT_EQ(said.signal(), 10);
    EXPECT_TRUE(said.sequential());
    EXPECT_EQ(said.term_reason(), 5);
    EXPECT_EQ(said.number(), 77U);
    EXPECT_EQ(said.limits().run_s(), 3);
    EXPECT_EQ(said.terminate_us(), 6);
    EXPECT_EQ(said.suspend_reasons(), 4U);
  }
}

TEST(ResWords, AHostThatComesSaysWhatItHolds) {
  using State = report::Held::State;
  FromRes told;
  for (const auto state : {FromRes::Held::EXPECTED, FromRes::Held::STARTING, FromRes::Held::RUNNING,
                           FromRes::Held::STOPPED, FromRes::Held::OVER}) {
    auto& held = *told.mutable_hello()->add_jobs();
    set_third(*held.mutable_job());
    held.set_state(state);
    held.set_first_host(state != FromRes::Held::EXPECTED);
  }
  const auto came = heard<report::HostCame>(told);
  ASSERT_EQ(came.jobs.size(), 5U);
  const State kStates[] = {State::expected, State::starting, State::running, State::stopped, State::over};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(came.jobs[i].attempt, kThird);
    EXPECT_EQ(came.jobs[i].state, kStates[i]);
    EXPECT_EQ(came.jobs[i].first_host, i != 0);
  }
}

TEST(ResWords, AHostThatHasSeenNoTermHasANewDisk) {
  FromRes told;
  told.mutable_hello()->set_host("hostA");
  EXPECT_TRUE(heard<report::HostCame>(told).blank);
  told.mutable_hello()->set_term(1);
  EXPECT_FALSE(heard<report::HostCame>(told).blank);
}

TEST(ResWords, EachEndIsTranslated) {
  using How = report::Over::How;
  const std::pair<FromRes::JobOver::How, How> kEnds[] = {
      {FromRes::JobOver::ENDED, How::ended},
      {FromRes::JobOver::PRE_EXEC_FAILED, How::pre_exec_failed},
      {FromRes::JobOver::NOT_STARTED, How::not_started},
      {FromRes::JobOver::SHEPHERD_LOST, How::supervisor_lost},
      {FromRes::JobOver::HOST_RESTARTED, How::host_restarted},
      {FromRes::JobOver::NEVER_SEEN, How::never_seen}};
  for (const auto& [said, expected] : kEnds) {
    FromRes told;
    auto& over = *told.mutable_over();
    set_third(*over.mutable_job());
    over.set_how(said);
    over.set_exit_status(256);
    over.set_term_reason(2);
    over.set_end_us(3);
    over.set_why("w");
    over.set_post_follows(true);
    over.set_cwd_missing(true);
    EXPECT_FALSE(heard<report::Over>(told).usage);
    over.mutable_usage()->set_memory_kb(4);
    const auto report = heard<report::Over>(told);
    EXPECT_EQ(report.attempt, kThird);
    EXPECT_EQ(report.how, expected);
    EXPECT_EQ(report.exit_status, 256);
    EXPECT_EQ(report.term_reason, 2);
    EXPECT_EQ(report.end_us, 3);
    EXPECT_EQ(report.why, "w");
    EXPECT_TRUE(report.post_follows && report.cwd_missing);
    ASSERT_TRUE(report.usage);
    EXPECT_EQ(report.usage->memory_kb(), 4);
  }
}

TEST(ResWords, ReportsOfARunningJobAreTranslated) {
  FromRes told;
  auto& running = *told.mutable_running();
  set_third(*running.mutable_job());
  running.set_pid(1);
  running.set_pgid(2);
  running.set_uid(3);
  running.set_user("u");
  running.set_home("h");
  running.set_cwd("c");
  const auto ran = heard<report::Running>(told);
  EXPECT_EQ(text(ran.attempt) + " " + ran.user + ran.home + ran.cwd, "12[3] attempt 4 uhc");
  EXPECT_EQ(ran.pid * 100 + ran.pgid * 10 + static_cast<int>(ran.uid), 123);
  set_third(*told.mutable_ready()->mutable_job());
  told.mutable_ready()->mutable_stream()->set_port(5);
  EXPECT_EQ(heard<report::Ready>(told).stream.port(), 5U);
  set_third(*told.mutable_prepared()->add_jobs());
  EXPECT_EQ(heard<report::Prepared>(told).attempts, std::vector<Attempt>{kThird});
  set_third(*told.mutable_not_prepared()->mutable_job());
  told.mutable_not_prepared()->set_why("full");
  EXPECT_EQ(heard<report::NotPrepared>(told).why, "full");
  set_third(*told.mutable_begun()->add_jobs());
  EXPECT_EQ(heard<report::Begun>(told).attempts, std::vector<Attempt>{kThird});
  told.mutable_left_behind()->set_directories(2);
  told.mutable_left_behind()->set_place("/spool/a/gone.left.*");
  told.mutable_left_behind()->set_last("gone.left.7.0.1");
  const auto left = heard<report::LeftBehind>(told);
  EXPECT_EQ(std::to_string(left.directories) + " " + left.place + " " + left.last,
            "2 /spool/a/gone.left.* gone.left.7.0.1");
  EXPECT_EQ(name_of(go({kThird}).go().jobs(0)), text(kThird));
  set_third(*told.mutable_usage()->mutable_job());
  told.mutable_usage()->mutable_usage()->set_user_s(1.5);
  EXPECT_EQ(heard<report::Used>(told).usage.user_s(), 1.5);
  set_third(*told.mutable_stopped()->mutable_job());
  EXPECT_EQ(heard<report::Stopped>(told).attempt, kThird);
  set_third(*told.mutable_resumed()->mutable_job());
  EXPECT_EQ(heard<report::Resumed>(told).attempt, kThird);
  set_third(*told.mutable_post_over()->mutable_job());
  told.mutable_post_over()->set_failed(true);
  EXPECT_TRUE(heard<report::PostOver>(told).failed);
  told.mutable_refused()->set_why("an older term");
  EXPECT_FALSE(report_of(told)) << "of no job: the engine tells it to the log";
}

}  // namespace
}  // namespace rollcall::mbatchd
