#include "sched/mbatchd/res_translation.hpp"

#include <utility>

namespace rollcall::mbatchd {

using wire::FromRes;
using wire::ToRes;
namespace report = sched::report;

namespace {

void set_attempt(wire::JobAttempt& to, const sched::Attempt& attempt) {
  sched::set_key(*to.mutable_key(), attempt.job);
  to.set_attempt(attempt.number);
}
sched::Attempt attempt_of(const wire::JobAttempt& attempt) {
  return {sched::key_of(attempt.key()), attempt.attempt()};
}

std::uint32_t milliseconds(Duration time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

template <class To>
void set_hosts(To& to, const std::vector<wire::ExecHost>& hosts) {
  to.mutable_hosts()->Add(hosts.begin(), hosts.end());
}

ToRes::SignalJob::Action action_of(wire::SentSignal::Action action) {
  switch (action) {
    case wire::SentSignal::TERMINATE:
      return ToRes::SignalJob::TERMINATE;
    case wire::SentSignal::SUSPEND:
      return ToRes::SignalJob::SUSPEND;
    case wire::SentSignal::RESUME:
      return ToRes::SignalJob::RESUME;
    case wire::SentSignal::LIMITS:
      return ToRes::SignalJob::LIMITS;
    default:
      return ToRes::SignalJob::SEND;
  }
}

report::Held::State state_of(FromRes::Held::State state) {
  using State = report::Held::State;
  switch (state) {
    case FromRes::Held::STARTING:
      return State::starting;
    case FromRes::Held::RUNNING:
      return State::running;
    case FromRes::Held::STOPPED:
      return State::stopped;
    case FromRes::Held::OVER:
      return State::over;
    case FromRes::Held::PREPARED:
      return State::prepared;
    default:
      return State::expected;
  }
}

report::Over::How how_of(FromRes::JobOver::How how) {
  using How = report::Over::How;
  switch (how) {
    case FromRes::JobOver::PRE_EXEC_FAILED:
      return How::pre_exec_failed;
    case FromRes::JobOver::NOT_STARTED:
      return How::not_started;
    case FromRes::JobOver::SHEPHERD_LOST:
      return How::supervisor_lost;
    case FromRes::JobOver::HOST_RESTARTED:
      return How::host_restarted;
    case FromRes::JobOver::NEVER_SEEN:
      return How::never_seen;
    default:
      return How::ended;
  }
}

report::HostCame came(const FromRes::ResHello& hello) {
  report::HostCame came;
  came.jobs.reserve(static_cast<std::size_t>(hello.jobs_size()));
  for (const auto& held : hello.jobs())
    came.jobs.push_back(
        {attempt_of(held.job()), state_of(held.state()), held.first_host(), held.grants_size() > 0});
  came.knows_go = hello.knows_go();
  came.blank = hello.term() == 0;  // every RES keeps the term of the first mbatchd that greets it
  return came;
}

wire::LeaseGrant grant_of(std::uint64_t lease, const sched::lease::GrantNumber& number) {
  wire::LeaseGrant grant;
  grant.set_lease(lease);
  grant.set_term(number.term);
  grant.set_counter(number.counter);
  return grant;
}

template <class Jobs>
std::vector<sched::Attempt> attempts_of(const Jobs& jobs) {
  std::vector<sched::Attempt> attempts;
  attempts.reserve(static_cast<std::size_t>(jobs.size()));
  for (const auto& job : jobs) attempts.push_back(attempt_of(job));
  return attempts;
}

report::Running running(const FromRes::JobRunning& told) {
  return {attempt_of(told.job()), told.pid(), told.pgid(), told.uid(), told.user(), told.home(), told.cwd()};
}

report::Over over(const FromRes::JobOver& told) {
  report::Over over;
  over.attempt = attempt_of(told.job());
  over.how = how_of(told.how());
  over.exit_status = told.exit_status();
  over.term_reason = told.term_reason();
  over.end_us = told.end_us();
  over.why = told.why();
  over.post_follows = told.post_follows();
  over.cwd_missing = told.cwd_missing();
  if (told.has_usage()) over.usage = told.usage();
  return over;
}

}  // namespace

ToRes to_res(sched::order::Start order) {
  ToRes message;
  auto& start = *message.mutable_start();
  set_attempt(*start.mutable_job(), order.attempt);
  *start.mutable_submission() = *order.asked;
  start.mutable_submission()->set_pre_exec(std::move(order.pre_exec));
  start.mutable_submission()->set_post_exec(std::move(order.post_exec));
  set_hosts(start, order.hosts);
  *start.mutable_limits() = std::move(order.limits);
  start.set_queue(std::move(order.queue));
  start.set_job_starter(std::move(order.job_starter));
  start.set_queue_pre_exec(std::move(order.queue_pre_exec));
  start.set_queue_post_exec(std::move(order.queue_post_exec));
  for (auto& word : order.environment) start.add_environment(std::move(word));
  start.set_nice(order.nice);
  auto& controls = *start.mutable_controls();
  controls.set_suspend(std::move(order.controls.suspend));
  controls.set_resume(std::move(order.controls.resume));
  controls.set_terminate(std::move(order.controls.terminate));
  start.set_effective_resreq(std::move(order.effective_resreq));
  start.set_cluster(std::move(order.cluster));
  start.set_gpus(std::move(order.gpus));
  start.set_submit_us(order.submit_us);
  start.set_requested_memory_kb(order.requested_memory_kb);
  start.set_mail_report_only(order.mail_report_only);
  start.set_wait_for_go(order.wait_for_go);
  start.set_usage_interval_ms(milliseconds(order.usage_interval));
  start.set_from_cluster(std::move(order.from_cluster));
  return message;
}

ToRes to_res(const sched::order::Expect& order) {
  ToRes message;
  auto& expect = *message.mutable_expect();
  set_attempt(*expect.mutable_job(), order.attempt);
  expect.set_user(order.user);
  expect.set_uid(order.uid);
  set_hosts(expect, order.hosts);
  *expect.mutable_limits() = order.limits;
  expect.set_gpus(order.gpus);
  expect.set_usage_interval_ms(milliseconds(order.usage_interval));
  return message;
}

ToRes to_res(const sched::order::Signal& order) {
  ToRes message;
  auto& signal = *message.mutable_signal();
  const wire::SentSignal& sent = order.sent;
  set_attempt(*signal.mutable_job(), order.attempt);
  signal.set_action(action_of(sent.action()));
  signal.set_signal(sent.signal());
  signal.set_sequential(sent.sequential());
  signal.set_term_reason(sent.term_reason());
  signal.set_number(sent.number());
  if (sent.has_limits()) *signal.mutable_limits() = sent.limits();
  signal.set_terminate_us(sent.terminate_us());
  signal.set_suspend_reasons(order.suspend_reasons);
  return message;
}

ToRes to_res(const sched::lease::GrantQuestion& question) {
  ToRes message;
  auto& naming = *message.mutable_grants();
  naming.set_number(question.number);
  for (const auto& [lease, number] : question.newest) *naming.add_newest() = grant_of(lease, number);
  for (const std::uint64_t lease : question.over) naming.add_over(lease);
  return message;
}

void put_grants(const sched::lease::GrantNumbers& grants, ToRes& order) {
  auto& to = order.has_start() ? *order.mutable_start()->mutable_grants()
                               : *order.mutable_expect()->mutable_grants();
  for (const auto& [lease, number] : grants) *to.Add() = grant_of(lease, number);
}

sched::lease::GrantsOnHost grants_of(const FromRes::GrantsHeld& told) {
  sched::lease::GrantsOnHost answer;
  answer.question = told.number();
  answer.why_not = told.why_not();
  for (const auto& grant : told.newest()) answer.newest[grant.lease()] = {grant.term(), grant.counter()};
  for (const auto& job : told.jobs()) {
    auto& held = answer.jobs.emplace_back();
    held.attempt = attempt_of(job.job());
    held.over = job.state() == FromRes::Held::OVER;
    for (const auto& grant : job.grants()) held.leases.push_back(grant.lease());
  }
  return answer;
}

ToRes go(const std::vector<sched::Attempt>& attempts) {
  ToRes message;
  for (const auto& attempt : attempts) set_attempt(*message.mutable_go()->add_jobs(), attempt);
  return message;
}

ToRes acknowledgement(const sched::Attempt& attempt) {
  ToRes message;
  set_attempt(*message.mutable_acknowledge()->mutable_job(), attempt);
  return message;
}

void put_span(wire::JobSpan span, ToRes& order) {
  (order.has_start() ? *order.mutable_start()->mutable_span() : *order.mutable_expect()->mutable_span()) =
      std::move(span);
}

ToRes release(const sched::Attempt& attempt, bool tell) {
  ToRes message;
  message.mutable_release()->set_tell(tell);
  set_attempt(*message.mutable_release()->mutable_job(), attempt);
  return message;
}

ToRes reading(const sched::Attempt& attempt, std::uint64_t number, const wire::PieceAsked& asked) {
  ToRes message;
  auto& read = *message.mutable_read();
  set_attempt(*read.mutable_job(), attempt);
  read.set_number(number);
  *read.mutable_asked() = asked;
  return message;
}

std::optional<sched::HostReport> report_of(const FromRes& told) {
  switch (told.message_case()) {
    case FromRes::kHello:
      return came(told.hello());
    case FromRes::kPrepared:
      return report::Prepared{attempts_of(told.prepared().jobs())};
    case FromRes::kNotPrepared:
      return report::NotPrepared{attempt_of(told.not_prepared().job()), told.not_prepared().why()};
    case FromRes::kBegun:
      return report::Begun{attempts_of(told.begun().jobs())};
    case FromRes::kReady:
      return report::Ready{attempt_of(told.ready().job()), told.ready().stream()};
    case FromRes::kRunning:
      return running(told.running());
    case FromRes::kUsage:
      return report::Used{attempt_of(told.usage().job()), told.usage().usage()};
    case FromRes::kStopped:
      return report::Stopped{attempt_of(told.stopped().job())};
    case FromRes::kResumed:
      return report::Resumed{attempt_of(told.resumed().job())};
    case FromRes::kOver:
      return over(told.over());
    case FromRes::kPostOver:
      return report::PostOver{attempt_of(told.post_over().job()), told.post_over().failed()};
    case FromRes::kGone:
      return report::Gone{attempts_of(told.gone().jobs())};
    case FromRes::kLeftBehind:
      return report::LeftBehind{told.left_behind().directories(), told.left_behind().place(),
                                told.left_behind().last()};
    default:
      return std::nullopt;
  }
}

}  // namespace rollcall::mbatchd
