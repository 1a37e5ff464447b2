// Answers of mbatchd as b* commands put them together and print them, and histories of events: whatever is in them, texts
// come of them.
//
//   input = records (records.hpp)     kind % 2: 0: a BatchReply, a part of the answer; 1: all parts up to here are
//                                     printed, and another answer begins
#include <string>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/show/job_picks.hpp"
#include "sched/policy/show/show_accounts.hpp"
#include "sched/policy/show/show_batch_hosts.hpp"
#include "sched/policy/show/show_history.hpp"
#include "sched/policy/show/show_information.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/show/show_jobs.hpp"
#include "sched/policy/values/answer_tables.hpp"
#include "sched/policy/show/show_queues.hpp"
#include "sched/policy/show/show_reason_totals.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/records.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::show;
using rollcall::fuzz::require;

namespace {

const ShowTime kNow{WallTime{1'795'275'000'000'000}, utc_time};

// A count of slots is no size of the input.
template <class Hosts>
void tame(Hosts* hosts) {
  for (auto& host : *hosts) host.set_slots(host.slots() % 64);
}

// As bjobs streams them: part by part, with the submissions of all parts before.
class ManyJobs {
 public:
  void take(wire::BatchReply::Jobs part) {
    known_.take(part);
    for (auto& job : *part.mutable_jobs()) {
      tame(job.mutable_record()->mutable_hosts());
      print(job, known_.of(job));
    }
  }
  void end() const {
    (void)totals_.table();
    (void)reasons_.table("lab", kNow);
  }

 private:
  void print(JobView job, const wire::Submission& asked) {
    for (const JobForm form : {JobForm::narrow, JobForm::wide, JobForm::full, JobForm::arrays})
      require(job_row(job, asked, form, kNow).ends_with('\n'));
    for (const ReasonForm form : {ReasonForm::counted, ReasonForm::named, ReasonForm::words})
      (void)reason_lines(job, form);
    (void)job_block(job, asked, Wrapping::none, ReasonForm::named, kNow);
    (void)ineligible(job, asked, kNow.now);
    totals_.add(job.record().status(), slots_of(job.record()));
    reasons_.add(job);
    keep_key_reason(job);
  }

  SubmissionTable known_;
  SlotTotals totals_;
  ReasonTotals reasons_;
};

void print(const wire::BatchReply::Events& events) {
  Histories histories;
  AccountSummary summary;
  for (wire::JobEvent event : events.events()) {
    (void)system_line(event, kNow);
    if (event.has_finish()) {
      tame(event.mutable_finish()->mutable_record()->mutable_hosts());
      summary.add(event.finish());
      (void)account_block(event.finish(), Wrapping::at_80, kNow);
    }
    histories.add(event);
  }
  (void)summary.text();
  const auto jobs = histories.jobs();
  for (const JobHistory& job : jobs) {
    (void)history_row(job, true, kNow.now);
    (void)history_block(job, Wrapping::at_80, kNow);
    (void)gpus_of(job);
  }
  (void)history_by_time(jobs, 0, 0, Wrapping::none, kNow);
}

void print(const wire::BatchReply& reply) {
  if (reply.has_queues()) {
    (void)queues_table(reply.queues(), true);
    (void)queues_long(reply.queues());
    (void)queues_fields(reply.queues(), "all", {true, true});
  }
  if (reply.has_hosts()) {
    (void)batch_hosts_table(reply.hosts(), false);
    (void)batch_hosts_long(reply.hosts());
    (void)batch_hosts_table(condensed(reply.hosts()), true);
    (void)batch_hosts_gpus(reply.hosts(), true);
  }
  if (reply.has_users()) {
    (void)users_table(reply.users(), UserForm::wide);
    (void)users_fields(reply.users(), "all", {true, true});
  }
  for (const ParameterForm form : {ParameterForm::shortly, ParameterForm::explained, ParameterForm::all})
    (void)parameters_text(reply.parameters(), form);
  (void)groups_table(reply.groups(), false);
  (void)groups_long(reply.groups(), true);
  (void)applications_table(reply.applications());
  (void)applications_long(reply.applications());
  (void)limits_table(reply.limits(), true);
  (void)shared_rows_table(reply.shared());
  print(reply.events());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 64 * 1024) return 0;
  ManyJobs jobs;
  wire::BatchReply whole;
  fuzz::each_record(data, size, [&](unsigned kind, std::string_view bytes) {
    wire::BatchReply part;
    if (kind % 2 == 1) {
      print(whole);
      whole.Clear();
    } else if (fuzz::parse(part, bytes)) {
      if (part.has_jobs()) jobs.take(part.jobs());
      whole.MergeFrom(part);
    }
  });
  print(whole);
  jobs.end();
  return 0;
}
