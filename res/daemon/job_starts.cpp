// Jobs: takes a job from its order on disk to its go-ahead, and tells mbatchd of all jobs here.
#include <algorithm>
#include <boost/asio/post.hpp>

#include "res/daemon/job_here.hpp"
#include "res/policy/lease_orders.hpp"

namespace rollcall::res {

// ---- go-aheads

// Handles each job alone: a job whose user is still being looked up gets its go-ahead later.
void Jobs::go_ahead(const wire::ToRes& order) {
  if (order.go().jobs_size() == 1) return go(order.go().jobs(0));
  for (const auto& job : order.go().jobs()) {
    wire::ToRes one;
    one.set_term(order.term());
    *one.mutable_go()->add_jobs() = job;
    carry_out(one);
  }
}

void Jobs::go(const wire::JobAttempt& attempt) {
  const auto job = find(attempt);
  if (!job) {
    FromRes told;
    *told.mutable_over() = own_end(attempt, FromRes::JobOver::NEVER_SEEN, kWhyNeverSeen);
    return handler_.tell(told);
  }
  job->prepared ? begin(job) : tell_job(job);
}

void Jobs::begin(const JobPtr& job) {
  job->prepared = false;
  if (const auto given = give_go(job->directory.get()); !given) {
    job->over = own_end(job->attempt, FromRes::JobOver::NOT_STARTED, given.error().text);
    never_begins(job->directory.get(), *job->over);
    return over(job);
  }
  start_soon(job);
}

// One message names all jobs whose orders came to disk in one turn of the loop.
void Jobs::prepared(const wire::JobAttempt& attempt) {
  auto& jobs = *prepared_.mutable_prepared()->mutable_jobs();
  *jobs.Add() = attempt;
  if (jobs.size() == 1) boost::asio::post(loop_, [this] { handler_.tell(std::exchange(prepared_, {})); });
}

void Jobs::not_prepared(const wire::JobAttempt& attempt, const std::string& why) {
  FromRes told;
  *told.mutable_not_prepared()->mutable_job() = attempt;
  told.mutable_not_prepared()->set_why(why);
  handler_.tell(told);
}

// ---- what mbatchd is told

FromRes::Held Jobs::held_of(const Job& job) {
  FromRes::Held held;
  *held.mutable_job() = job.attempt;
  held.set_first_host(job.first_host());
  *held.mutable_grants() = job.first_host() ? job.order.start().grants() : job.order.expect().grants();
  if (!job.first_host())
    held.set_state(FromRes::Held::EXPECTED);
  else if (job.over)
    held.set_state(FromRes::Held::OVER);
  else if (job.prepared)
    held.set_state(FromRes::Held::PREPARED);
  else if (job.stopped)
    held.set_state(FromRes::Held::STOPPED);
  else
    held.set_state(job.running ? FromRes::Held::RUNNING : FromRes::Held::STARTING);
  return held;
}

FromRes::ResHello Jobs::hello() const {
  FromRes::ResHello hello;
  hello.set_term(directories_.term());
  for (const auto& [name, job] : jobs_) {
    if (job->order.task_only()) continue;
    *hello.add_jobs() = held_of(*job);
  }
  // A coming job that waits for its go-ahead counts as held only once its order is on disk or its go-ahead has come.
  for (const auto& [name, coming] : coming_) {
    const bool gone = std::any_of(coming.orders.begin(), coming.orders.end(),
                                  [](const wire::ToRes& order) { return order.has_go(); });
    if (!coming.waits_for_go || gone) *hello.add_jobs() = coming.held;
  }
  hello.set_knows_go(true);
  hello.set_knows_leases(true);
  hello.set_knows_spans(true);
  put_grants(directories_.leases(), *hello.mutable_leases());
  return hello;
}

void Jobs::tell_all() {
  for (const auto& [name, job] : jobs_) tell_job(job);
  if (left_ > 0) tell_left();
}

void Jobs::tell_job(const JobPtr& job) {
  if (job->used && !job->over && !job->released) handler_.tell(*job->used);
  if (!job->first_host()) return;
  if (job->ready && !job->over) handler_.tell(*job->ready);
  if (job->running && !job->over_acknowledged) handler_.tell(*job->running);
  if (job->stopped && !job->over) handler_.tell(*job->stopped);
  FromRes told;
  if (job->over && !job->over_acknowledged) {
    *told.mutable_over() = *job->over;
    handler_.tell(told);
  }
  if (job->post) {
    *told.mutable_post_over() = *job->post;
    handler_.tell(told);
  }
}

}  // namespace rollcall::res
