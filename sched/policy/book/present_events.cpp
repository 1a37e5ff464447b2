#include "sched/policy/book/present_events.hpp"

#include <algorithm>
#include <cstdint>

#include "sched/policy/jobs/job_terms.hpp"

namespace rollcall::sched::book {
namespace {

wire::JobEvent dated(JobKey key, std::int64_t at_us) {
  wire::JobEvent event;
  event.set_at_us(at_us);
  set_key(*event.mutable_key(), key);
  return event;
}

wire::JobEvent submission_of_job(const Job& job, JobKey key) {
  auto event = dated(key, job.record.submit_us());
  *event.mutable_new_job()->mutable_asked() = *job.asked;
  event.mutable_new_job()->set_queue(job.record.queue());
  if (job.record.has_from()) *event.mutable_new_job()->mutable_record()->mutable_from() = job.record.from();
  return event;
}

// Of a job that another cluster has forwarded to this one.
wire::JobEvent acceptance_of_job(const Job& job) {
  auto event = dated(job.key(), job.record.submit_us());
  auto& accept = *event.mutable_accept();
  accept.set_cluster(job.record.from().cluster());
  *accept.mutable_there() = job.record.from().key();
  accept.set_queue(job.record.queue());
  accept.set_came(true);
  return event;
}

// The queue's programs are the present ones: the store does not keep those of the job's start.
wire::JobEvent start_of_job(const JobTable& table, const Job& job) {
  const auto& record = job.record;
  auto event = dated(job.key(), record.start_us());
  auto& start = *event.mutable_start();
  *start.mutable_hosts() = record.hosts();
  start.set_attempt(record.attempt());
  start.set_effective_resreq(record.effective_resreq());
  start.set_cpu_factor(record.cpu_factor());
  if (const conf::QueueRow* queue = jobs::terms_of(table.config(), record.queue(), *job.asked).queue) {
    start.set_pre_exec(queue->jobs.pre_exec);
    start.set_post_exec(queue->jobs.post_exec);
  }
  start.set_user_group(job.asked->user_group());
  return event;
}

void tell_of_run(const JobTable& table, const Job& job,
                 const std::function<void(const wire::JobEvent&)>& take) {
  const auto& record = job.record;
  take(start_of_job(table, job));
  if (!record.started()) return;
  auto accepted = dated(job.key(), record.start_us());
  accepted.mutable_start_accept()->set_pid(record.pid());
  accepted.mutable_start_accept()->set_pgid(record.pgid());
  take(accepted);
  auto execute = dated(job.key(), record.start_us());
  auto& run = *execute.mutable_execute();
  run.set_uid(job.asked->uid());
  run.set_pid(record.pid());
  run.set_pgid(record.pgid());
  run.set_cwd(record.exec_cwd());
  run.set_home(record.exec_home());
  run.set_user(record.exec_user());
  take(execute);
}

// As record_status() of job_life_record.hpp records it. A job that ended well has two such events, one for its post-execution.
void tell_of_status(const Job& job, const std::function<void(const wire::JobEvent&)>& take) {
  const auto& record = job.record;
  auto event = dated(job.key(), finished(record.status()) ? record.end_us() : record.status_us());
  auto& status = *event.mutable_status();
  status.set_status(is_elsewhere(record) ? shown_status(record) : record.status());
  status.set_reasons(record.suspend_reasons());
  if (finished(record.status())) {
    status.set_exit_status(record.exit_status());
    status.set_term_reason(record.term_reason());
    status.set_end_us(record.end_us());
    if (record.has_usage()) *status.mutable_usage() = record.usage();
  }
  take(event);
  const bool over = record.post_status() != wire::POST_RUNNING;
  if (record.status() != wire::STATUS_DONE || !over) return;
  status.set_post(record.post_status() == wire::POST_ERR ? wire::POST_ERR : wire::POST_DONE);
  take(event);
}

}  // namespace

std::vector<JobKey> jobs_not_over(const JobTable& table) {
  std::vector<JobKey> jobs;
  for (const auto status : {wire::STATUS_PSUSP, wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP,
                            wire::STATUS_WAIT, wire::STATUS_UNKWN, wire::STATUS_PROV, wire::STATUS_ZOMBI})
    for (const JobKey key : table.with_status(status)) {
      jobs.push_back({key.id, 0});
      if (key.index != 0) jobs.push_back(key);
    }
  const auto& waiting = table.with_status(wire::STATUS_PEND);
  for (auto key = waiting.begin(); key != waiting.end(); key = waiting.upper_bound({key->id, INT32_MAX}))
    jobs.push_back({key->id, 0});
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  return jobs;
}

void tell_of_job(const JobTable& table, JobKey key, const std::function<void(const wire::JobEvent&)>& take) {
  if (key.index == 0 && table.is_array(key.id)) {
    const auto elements = table.elements(key.id);
    if (const Job* first = elements.empty() ? nullptr : table.find(elements.front()))
      take(submission_of_job(*first, key));
    return;
  }
  const Job* job = table.find(key);
  if (job == nullptr) return;
  if (key.index == 0) take(submission_of_job(*job, key));
  if (job->record.has_from() && !on_lent_slots(job->record)) take(acceptance_of_job(*job));
  const auto status = job->status();
  if (status == wire::STATUS_PEND) return;
  if (!pending(status) && job->record.start_us() > 0 && !waits_elsewhere(job->record))
    tell_of_run(table, *job, take);
  if (status != wire::STATUS_RUN) tell_of_status(*job, take);
}

}  // namespace rollcall::sched::book
