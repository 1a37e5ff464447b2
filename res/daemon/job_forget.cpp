// Jobs: forgets all jobs for an administrator when the mbatchd that ordered them will not come back.
#include <algorithm>

#include "res/daemon/job_here.hpp"
#include "res/policy/job_files.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostNamed = 20;

}  // namespace

std::string Jobs::what_forgetting_loses() const {
  std::string named;
  std::size_t jobs = 0;
  for (const auto& [name, job] : jobs_) {
    if (job->order.task_only()) continue;
    if (++jobs > kMostNamed) continue;
    named += (named.empty() ? "" : " ") + job_text(job->attempt.key()) + (job->alive ? "" : " (over)");
  }
  if (jobs > kMostNamed) named += " ...";
  const std::string host = "host " + configuration_->host + " has had orders of term " +
                           std::to_string(directories_.term()) + ", and has ";
  if (jobs == 0) return host + "no jobs: nothing is lost";
  return host + std::to_string(jobs) + " jobs: " + named +
         "; what runs of them is killed, and no mbatchd learns how they ended";
}

void Jobs::forget_all() {
  forgetting_ = true;
  log_.warning("an administrator has all jobs of this host forgotten: " + what_forgetting_loses());
  const auto all = jobs_;  // a copy: forget() erases from jobs_
  for (const auto& [name, job] : all) {
    if (job->order.task_only()) continue;
    job->unknown_there = true;
    if (!job->alive) {
      forget(job);
      continue;
    }
    wire::ToShepherd message;
    auto& kill = *message.mutable_signal();
    *kill.mutable_job() = job->attempt;
    kill.set_signal(SIGKILL);  // not TERMINATE, which JOB_CONTROLS may redefine
    send(job, message);
    see_that_it_is_read(job);
  }
  forgotten();
}

// Called after each job that is gone: finishes once it was the last.
void Jobs::forgotten() {
  if (!forgetting_ ||
      std::any_of(jobs_.begin(), jobs_.end(), [](const auto& one) { return !one.second->order.task_only(); }))
    return;
  forgetting_ = false;
  if (const auto kept = directories_.forget_orders(); !kept)
    return log_.error("the term stays, forget again: " + kept.error().text);
  log_.warning("all jobs of this host are forgotten; any mbatchd of the cluster is obeyed again");
}

}  // namespace rollcall::res
