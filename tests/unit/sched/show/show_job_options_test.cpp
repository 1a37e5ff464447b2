// What single options of bjobs and bhist add or leave out: -pe -pi -rusage -fwd -p1 -WF -psum -gpu -N, bhist -t.
#include <gtest/gtest.h>

#include "sched/policy/show/job_picks.hpp"
#include "sched/policy/show/show_gpus.hpp"
#include "sched/policy/show/show_history.hpp"
#include "sched/policy/show/show_job_fields.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/show/show_reason_totals.hpp"
#include "sched/policy/values/answer_tables.hpp"
#include "sched/policy/values/submit_values.hpp"
#include "tests/unit/sched/show/show_fixtures.hpp"

namespace rollcall::sched::show {
namespace {

Shown pending_job() {
  Shown shown = running_job();
  shown.job().set_status(wire::STATUS_PEND);
  shown.job().clear_hosts();
  return shown;
}

bool kept(const JobPicks& picks, const Shown& shown) {
  return picks.keep(shown.view, shown.asked, wall_seconds(kMay10 + 60));
}

TEST(JobPicks, TellEligibleJobsFromThoseThatCannotBeScheduled) {
  JobPicks eligible, ineligible, both;
  eligible.eligible = ineligible.ineligible = both.eligible = both.ineligible = true;
  const auto expect = [&](const Shown& shown, bool is_eligible, bool is_ineligible) {
    EXPECT_EQ(kept(eligible, shown), is_eligible);
    EXPECT_EQ(kept(ineligible, shown), is_ineligible);
    EXPECT_EQ(kept(both, shown), is_eligible || is_ineligible);
  };
  expect(pending_job(), true, false);
  expect(running_job(), false, false);
  Shown held = pending_job();
  held.job().set_status(wire::STATUS_PSUSP);
  expect(held, false, true);
  Shown later = pending_job();
  later.asked.set_begin_us((kMay10 + 600) * 1'000'000);
  expect(later, false, true);
  Shown dependent = pending_job();
  dependent.view.set_dependency_state("unsatisfied");
  expect(dependent, false, true);
}

TEST(JobPicks, ByWhatAJobReserves) {
  Shown shown = running_job();
  shown.view.set_combined_resreq("select[type == local] rusage[mem=100:duration=5,lic_a=1]");
  JobPicks picks;
  EXPECT_TRUE(kept(picks, shown));
  for (const auto& [names, keeps] :
       {std::pair("mem", true), {"lic_a, mem", true}, {"lic_a swp", false}, {"type", false}}) {
    picks.reserves = resource_words(names);
    EXPECT_EQ(kept(picks, shown), keeps) << names;
  }
  shown.view.clear_combined_resreq();
  EXPECT_FALSE(kept(picks, shown));
}

TEST(JobPicks, ByExceptions) {
  Shown shown = running_job();
  JobPicks picks;
  picks.exceptional = true;
  EXPECT_TRUE(picks.any());
  EXPECT_FALSE(kept(picks, shown));
  shown.view.set_exceptions("overrun");
  EXPECT_TRUE(kept(picks, shown));
  EXPECT_EQ(JobFields::parse("exception_status", {})->line(shown.view, shown.asked, shown_at(kMay10)),
            "overrun\n");
  const std::string block =
      job_block(shown.view, shown.asked, Wrapping::none, ReasonForm::named, shown_at(kMay10));
  EXPECT_NE(block.find("\n EXCEPTION STATUS:  overrun\n"), std::string::npos) << block;
}

TEST(JobBlock, TellsOptionsWithoutEffect) {
  Shown shown = running_job();
  const auto block = [&shown] {
    return job_block(shown.view, shown.asked, Wrapping::none, ReasonForm::named, shown_at(kMay10));
  };
  EXPECT_EQ(block().find("WITHOUT EFFECT"), std::string::npos);
  shown.asked.set_alloc_flags("smt4");
  EXPECT_NE(block().find("\n WITHOUT EFFECT:\n -alloc_flags smt4: kept, without effect here\n"),
            std::string::npos)
      << block();
}

TEST(JobPicks, NoJobIsForwarded) {
  JobPicks picks;
  picks.forwarded = true;
  EXPECT_TRUE(picks.any());
  EXPECT_FALSE(kept(picks, running_job()));
}

TEST(KeyReason, IsTheOneThatMatters) {
  JobView view;
  view.add_reasons()->set_text("one");
  view.add_reasons()->set_text("two");
  view.mutable_reasons(1)->set_key(true);
  view.add_reasons()->set_text("three");
  keep_key_reason(view);
  ASSERT_EQ(view.reasons_size(), 1);
  EXPECT_EQ(view.reasons(0).text(), "two");
  JobView none;
  keep_key_reason(none);
  EXPECT_EQ(none.reasons_size(), 0);
}

// -WF, -WL, -WP: the fields of -o behind the row, not behind its last line.
std::string row_with(const char* field, const Shown& shown) {
  const auto parsed = JobFields::parse(field, {});
  const auto time = shown_at(kMay10 + 61);
  const auto cell = [](std::string line) { return line.pop_back(), line; };
  return with_cell(jobs_header(JobForm::narrow), cell(parsed->header())) +
         with_cell(job_row(shown.view, shown.asked, JobForm::narrow, time),
                   cell(parsed->line(shown.view, shown.asked, time)));
}

TEST(TimedRows, HaveOneColumnMore) {
  Shown shown = running_job();
  shown.view.mutable_effective_limits()->set_run_s(600);
  add_exec_host(shown.job(), "kile02", 2);
  const std::string header =
      "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME";
  const std::string row = "24520   annas   RUN   normal     kilenc      kilenc      *estjob.sh May 10 21:09";
  const std::string second = "                                             2*kile02   \n";
  EXPECT_EQ(row_with("finish_time", shown), header + "  FINISH_TIME\n" + row + "  May 10 21:19 L\n" + second);
  EXPECT_EQ(row_with("time_left", shown), header + "  TIME_LEFT\n" + row + "  0:09 L\n" + second);
  EXPECT_EQ(row_with("%complete", shown), header + "  %COMPLETE\n" + row + "  10.00% L\n" + second);
  EXPECT_NE(row_with("time_left", pending_job()).find("May 10 21:09  -\n"), std::string::npos);
}

void add_reason(Shown& shown, const char* text, std::initializer_list<const char*> hosts) {
  auto& reason = *shown.view.add_reasons();
  reason.set_text(text);
  for (const char* host : hosts) reason.add_hosts(host);
  reason.set_count(static_cast<unsigned>(hosts.size()));
}

TEST(ReasonTotals, SumUpEachReasonOnce) {
  ReasonTotals totals;
  Shown one = pending_job(), two = pending_job(), third = pending_job();
  add_reason(one, "Not enough job slots", {"hostA", "hostB"});
  add_reason(one, "The host is closed", {"hostC"});
  add_reason(two, "Not enough job slots", {"hostA", "hostC"});
  add_reason(two, "Not enough job slots", {"hostD"});
  add_reason(third, "Job dependency condition not satisfied", {});
  for (const auto* shown : {&one, &two, &third}) totals.add(shown->view);
  totals.add(running_job().view);
  EXPECT_EQ(totals.table("lab", shown_at(kMay10)),
            "Pending reason summary: published Tue May 10 21:09:22\n"
            "Summarizing 3 pending jobs in cluster (lab):\n"
            "\n"
            "    JOBS   HOSTS  OCCURRENCES  PENDING REASON\n"
            "       2       4            5  Not enough job slots\n"
            "       1       -            1  Job dependency condition not satisfied\n"
            "       1       1            1  The host is closed\n");
}

TEST(ReasonTotals, AreTheSameWhereJobsShareTheirReasons) {
  ReasonTotals each, shared;
  ReasonTable table;
  wire::BatchReply::Jobs part;
  for (int i = 0; i < 5; ++i) {
    Shown job = pending_job();
    add_reason(job, "Not enough job slots", {"hostA", "hostB"});
    add_reason(job, "The host is closed", {"hostC"});
    each.add(job.view);
    if (i == 0) *(*part.mutable_reasons())[7].mutable_reasons() = job.view.reasons();
    job.view.clear_reasons();
    job.view.set_shared_reasons(7);
    if (i == 0) table.take(part);
    table.lend(job.view);
    EXPECT_EQ(job.view.reasons_size(), 2) << "the reasons were not given back by job " << i - 1;
    shared.add(job.view);
    table.take_back(job.view);
    EXPECT_EQ(job.view.reasons_size(), 0);
  }
  EXPECT_EQ(shared.table("lab", shown_at(kMay10)), each.table("lab", shown_at(kMay10)));
}

TEST(ReasonTable, LendsThemBeforeAJobsOwn) {
  ReasonTable table;
  wire::BatchReply::Jobs part;
  (*part.mutable_reasons())[7].add_reasons()->set_text("shared");
  table.take(part);
  for (int i = 0; i < 2; ++i) {
    Shown job = pending_job();
    job.view.set_shared_reasons(7);
    job.view.add_reasons()->set_text("own");
    table.lend(job.view);
    ASSERT_EQ(job.view.reasons_size(), 2) << i;
    EXPECT_EQ(job.view.reasons(0).text(), "shared");
    EXPECT_EQ(job.view.reasons(1).text(), "own");
    table.take_back(job.view);
  }
  Shown plain = pending_job();
  plain.view.set_shared_reasons(7);
  table.lend(plain.view);
  EXPECT_EQ(plain.view.reasons_size(), 1) << "the table still has them";
}

TEST(GpuBlocks, AreThoseOfARealSession) {
  Shown shown = running_job();
  EXPECT_EQ(gpu_blocks(shown.view, shown.asked, Wrapping::at_80), "");
  shown.asked.set_gpu("num=2:mode=exclusive_process:j_exclusive=yes");
  shown.job().set_gpus("kilenc 0,3;kile02 1");
  EXPECT_EQ(gpu_blocks(shown.view, shown.asked, Wrapping::at_80),
            "\n"
            " GPU REQUIREMENT DETAILS:\n"
            " Combined: num=2:mode=exclusive_process:j_exclusive=yes\n"
            " Effective: num=2:mode=exclusive_process:j_exclusive=yes\n"
            "\n"
            " GPU_ALLOCATION:\n"
            " HOST             TASK ID  MODEL        MTOTAL  FACTOR MRSV    SOCKET NVLINK\n"
            " kilenc           -    0   -            -       -      -       -      -\n"
            "                  -    3   -            -       -      -       -      -\n"
            " kile02           -    1   -            -       -      -       -      -\n");
}

// `bsub -gpu -` is told without a requirement, all else with it.
TEST(GpuWords, AreThoseOfARealSession) {
  Shown shown = running_job();
  const auto words = [&](const char* gpu) {
    shown.asked.set_gpu(*parse_gpu(gpu));
    return asked_words(shown.view.record(), shown.asked, true);
  };
  EXPECT_TRUE(words("-").ends_with(", Requested GPU")) << words("-");
  EXPECT_TRUE(words("num=2").ends_with(", Requested GPU <num=2:mode=shared:j_exclusive=no>"))
      << words("num=2");
}

TEST(AtSpeed, TimesAreThoseOfAnotherFactor) {
  wire::JobUsage usage;
  usage.set_user_s(6);
  usage.set_system_s(2);
  usage.add_hosts()->set_user_s(3);
  at_speed(usage, 2, 4);
  EXPECT_EQ(usage.user_s(), 3);
  EXPECT_EQ(usage.system_s(), 1);
  EXPECT_EQ(usage.hosts(0).user_s(), 1.5);
  at_speed(usage, 0, 0.5);  // a factor that nobody knew is 1
  EXPECT_EQ(usage.user_s(), 6);
}

JobHistory life(int id, int end) {
  Histories all;
  wire::JobEvent event;
  event.set_at_us(kMay10 * 1'000'000);
  event.mutable_key()->set_id(id);
  *event.mutable_new_job()->mutable_asked() = running_job().asked;
  event.mutable_new_job()->set_queue("normal");
  all.add(event);
  wire::JobEvent start;
  start.set_at_us((kMay10 + id) * 1'000'000);
  *start.mutable_key() = event.key();
  start.mutable_start()->set_cpu_factor(2);
  start.mutable_start()->add_hosts()->set_name("kilenc");
  start.mutable_start()->mutable_hosts(0)->set_slots(1);
  all.add(start);
  wire::JobEvent over;
  over.set_at_us((kMay10 + end) * 1'000'000);
  *over.mutable_key() = event.key();
  over.mutable_status()->set_status(wire::STATUS_DONE);
  over.mutable_status()->mutable_usage()->set_user_s(10);
  all.add(over);
  wire::JobEvent finish;
  finish.set_at_us((kMay10 + end) * 1'000'000);
  *finish.mutable_key() = event.key();
  finish.mutable_finish()->mutable_record()->set_gpus("kilenc 0");
  all.add(finish);
  return all.jobs().at(0);
}

TEST(HistoryByTime, GoesFromJobToJob) {
  const std::vector<JobHistory> jobs{life(1, 9), life(2, 5)};
  EXPECT_EQ(history_by_time(jobs, (kMay10 + 1) * 1'000'000, (kMay10 + 5) * 1'000'000, Wrapping::none,
                            shown_at(kMay10)),
            "Tue May 10 21:09:23: Job <1>: Dispatched 1 Task(s) on Host(s) <kilenc>, Allocated 1 Slot(s) on "
            "Host(s) <kilenc>;\n"
            "Tue May 10 21:09:24: Job <2>: Dispatched 1 Task(s) on Host(s) <kilenc>, Allocated 1 Slot(s) on "
            "Host(s) <kilenc>;\n"
            "Tue May 10 21:09:27: Job <2>: Done successfully. The CPU time used is 10.0 seconds;\n");
  EXPECT_NE(history_by_time(jobs, 0, 0, Wrapping::none, shown_at(kMay10))
                .find("Tue May 10 21:09:31: Job <1>: Done"),
            std::string::npos);
}

TEST(HistoryBlock, AtAnotherSpeed) {
  JobHistory job = life(1, 9);
  at_speed(job, 4);
  EXPECT_NE(
      history_block(job, Wrapping::none, shown_at(kMay10 + 9)).find("The CPU time used is 5.0 seconds;"),
      std::string::npos);
  EXPECT_EQ(gpus_text(gpus_of(job)), "kilenc 0");
}

TEST(JobFields, OfWarningsAndMemory) {
  Shown shown = running_job();
  const auto line = [&] {
    return JobFields::parse("warning_action action_warning_time mem_efficiency", {})
        ->line(shown.view, shown.asked, shown_at(kMay10));
  };
  EXPECT_EQ(line(), "- - -\n");
  shown.asked.set_warning_signal(10);
  shown.asked.set_warning_seconds(120);
  auto& reserved = *shown.job().add_reserved();
  reserved.set_resource("mem");
  reserved.set_amount(48);
  EXPECT_EQ(line(), "USR1 120 second(s) 25.00%\n");
}

}  // namespace
}  // namespace rollcall::sched::show
