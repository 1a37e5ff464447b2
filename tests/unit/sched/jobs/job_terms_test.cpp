// A job with an application profile: which of job, profile, queue and lsb.params counts, and what becomes of a job whose profile
// is gone.
#include "sched/policy/jobs/job_terms.hpp"

#include "common/resreq/merge.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

using S = wire::Submission;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Queue normal of the fixture: RUNLIMIT = 10 60, MEMLIMIT = 5000, RES_REQ = select[mem > 10], REQUEUE_EXIT_VALUES = 77 EXCLUDE(78).
const std::string kProfiles = R"(
Begin Application
NAME = fluent
DESCRIPTION = the flow solver
RUNLIMIT = 20
MEMLIMIT = 9000
THREADLIMIT = 7
TASKLIMIT = 2 3 4
RES_REQ = select[swp > 5] order[mem] rusage[mem=100:duration=5, swp=2] span[hosts=1] same[type]
PRE_EXEC = /opt/prepare
POST_EXEC = /opt/clean
JOB_STARTER = /opt/starter
NICE = 7
REQUEUE_EXIT_VALUES = 55
RERUNNABLE = Y
SUSPEND_CONTROL = SIGTSTP
MAX_JOB_REQUEUE = 4
MAX_PREEXEC_RETRY = 6
REMOTE_MAX_PREEXEC_RETRY = 2
MAX_JOB_PREEMPT = 3
MAX_TOTAL_TIME_PREEMPT = 25
DJOB_HB_INTERVAL = 33
ENV_VARS = "SOLVER='flow 1',MODE='a',MODE='b'"
End Application
Begin Application
NAME = capped
RUNLIMIT = 5/hostB 15
CPULIMIT = 70/hostC
End Application
)";

ConfigView with_profiles(const std::string& profiles, const std::string& standard = "",
                         const std::vector<std::string>& lines = {}) {
  ConfigView view = book::site_files(
      "LOCAL_MAX_PREEXEC_RETRY = 1\nMAX_JOB_REQUEUE = 9\nPREEMPT_DELAY = 40\nMAX_JOB_PREEMPT = "
      "9\nMAX_TOTAL_TIME_PREEMPT = 90\n");
  auto lsb = std::make_shared<conf::LsbFiles>(*view.lsb);
  conf::Problems problems;
  lsb->applications =
      conf::read_lsb_applications(conf::parse_sections(profiles, "applications", {}, problems), {}, problems);
  EXPECT_EQ(conf::lines_of(problems), lines);
  lsb->params.default_application = standard;
  view.lsb = lsb;
  return view;
}

S of_profile(const std::string& name) {
  S asked = book::plain_job();
  asked.set_application(name);
  return asked;
}

class JobTermsTest : public book::BookTest {
 protected:
  JobTermsTest() { book->configure(with_profiles(kProfiles), now); }

  std::vector<std::string> bmod(std::int32_t id, const std::vector<std::int32_t>& fields, const S& changed) {
    wire::ModifyJobs request;
    request.mutable_filter()->add_keys()->set_id(id);
    *request.mutable_changed() = changed;
    for (const auto field : fields) request.add_fields(field);
    return answer(book->commands().modify_jobs(request, book::kAnn, now));
  }
  order::Start start(std::int32_t id) {
    hello("hostA");
    dispatch({id, 0});
    for (const auto& effect : effects)
      if (const auto* order = std::get_if<effect::OrderStart>(&effect))
        return *book->hosts().start_order(*order);
    ADD_FAILURE() << "no start of job " << id;
    return {};
  }
  const ConfigView config = with_profiles(kProfiles);
};

// lsb.queues(5): RERUNNABLE of the queue that the job was submitted to. The order says it to another cluster, too.
TEST_F(JobTermsTest, AnOrderSaysWhetherTheJobMayBeRerun) {
  EXPECT_FALSE(start(submit(book::plain_job())).rerunnable);
  auto asked = book::plain_job();
  asked.set_rerunnable(true);
  EXPECT_TRUE(start(submit(asked)).rerunnable) << "-r";
  book->configure(book::site_files("", "RERUNNABLE = yes\n"), now);
  EXPECT_TRUE(start(submit(book::plain_job())).rerunnable) << "its queue's";
  asked.set_rerunnable(false);
  EXPECT_FALSE(start(submit(asked)).rerunnable) << "-rn";
}

TEST_F(JobTermsTest, LimitsAreTheJobsThenTheProfilesThenTheQueues) {
  auto asked = of_profile("fluent");
  const auto plain = book->jobs().effective_limits(job({submit(asked), 0}));
  EXPECT_EQ(plain.run_s(), 20 * 60) << "the profile's, not the queue's default of 10 minutes";
  EXPECT_EQ(plain.memory_kb(), 5000) << "the queue's maximum is a ceiling";
  EXPECT_EQ(plain.threads(), 7);
  asked.mutable_limits()->set_run_s(30 * 60);
  asked.mutable_limits()->set_threads(8);
  const auto own = book->jobs().effective_limits(job({submit(asked), 0}));
  EXPECT_EQ(own.run_s(), 30 * 60) << "a profile's limit is a default";
  EXPECT_EQ(own.threads(), 8);
  asked.mutable_limits()->set_run_s(61 * 60);
  EXPECT_EQ(refused(asked), "normal: Cannot exceed queue's hard limit(s): RUNLIMIT");
  EXPECT_EQ(book->jobs().effective_limits(job({submit(book::plain_job()), 0})).run_s(), 600);
}

TEST_F(JobTermsTest, TheSecondOfTwoNumbersIsAMaximum) {
  auto asked = of_profile("capped");
  const auto limits = book->jobs().effective_limits(job({submit(asked), 0}));
  EXPECT_EQ(limits.run_s(), 5 * 60);
  EXPECT_EQ(limits.run_spec(), "hostB") << "of bjobs -l: 5.0 min of hostB";
  EXPECT_EQ(limits.cpu_spec(), "hostC");
  asked.mutable_limits()->set_run_s(16 * 60);
  EXPECT_EQ(refused(asked), "capped: Cannot exceed the maximum of the application profile: RUNLIMIT");
}

TEST_F(JobTermsTest, AnInvalidDefaultLeavesTheMaximumInForce) {
  book->configure(
      with_profiles(
          "Begin Application\nNAME = a\nRUNLIMIT = soon 15\nMEMLIMIT = 900 400\nEnd Application\n", "",
          {"applications:3: RUNLIMIT: found \"soon\", expected [HOURS:]MINUTES[/HOST_SPEC]; the maximum 15 "
           "is the default now",
           "applications:4: MEMLIMIT: found \"900 400\", expected a default that is at most the maximum; "
           "the maximum is the default now"}),
      now);
  auto asked = of_profile("a");
  const auto limits = book->jobs().effective_limits(job({submit(asked), 0}));
  EXPECT_EQ(limits.run_s(), 15 * 60);
  EXPECT_EQ(limits.memory_kb(), 400);
  asked.mutable_limits()->set_run_s(16 * 60);
  EXPECT_EQ(refused(asked), "a: Cannot exceed the maximum of the application profile: RUNLIMIT");
}

TEST_F(JobTermsTest, SlotsAreWithinTheBoundsOfProfileAndQueue) {
  auto asked = of_profile("fluent");
  EXPECT_EQ(job({submit(asked), 0}).asked->min_slots(), 3u) << "the profile's default";
  asked.set_min_slots(5);
  EXPECT_EQ(refused(asked), "fluent: Too many processors requested");
  asked.set_min_slots(1);
  EXPECT_EQ(refused(asked), "fluent: Too few processors requested");
  asked.clear_min_slots();
  asked.add_queues("special");  // 2 4 8
  EXPECT_EQ(job({submit(asked), 0}).asked->min_slots(), 3u);
}

TEST_F(JobTermsTest, RequirementsAreMerged) {
  auto asked = of_profile("fluent");
  EXPECT_EQ(book->jobs().combined_resreq(job({submit(asked), 0})),
            "select[mem > 10 && swp > 5 && type == local] order[mem] "
            "rusage[mem=100:duration=5,swp=2] "
            "span[hosts=1] same[type]");
  asked.set_resreq("select[tmp > 1] order[ut] rusage[mem=50] span[ptile=2]");
  EXPECT_EQ(book->jobs().combined_resreq(job({submit(asked), 0})),
            "select[mem > 10 && swp > 5 && tmp > 1 && type == local] order[ut] "
            "rusage[mem=50:duration=5,swp=2] span[ptile=2] same[type]");
  EXPECT_EQ(book->jobs().combined_resreq(job({submit(book::plain_job()), 0})),
            "select[mem > 10 && type == local] order[r15s:pg]");
}

TEST_F(JobTermsTest, OrderIsTheJobsThenTheProfilesThenTheQueues) {
  const auto order = [this](const std::string& asked, const char* profile, const char* queue) {
    const auto parsed = [](const std::string& text) { return resreq::parse(text).value; };
    std::optional<resreq::ResReq> own;
    if (profile) own = parsed(profile);
    const auto merged = resreq::job_over_files(parsed(asked), own, parsed(queue), config.cluster->indices);
    return resreq::print(*merged);
  };
  EXPECT_EQ(order("order[ut]", "order[mem]", "order[pg]"), "order[ut]");
  EXPECT_EQ(order("span[hosts=1]", "order[mem]", "order[pg]"), "order[mem] span[hosts=1]");
  EXPECT_EQ(order("span[hosts=1]", "same[type]", "order[pg]"), "order[pg] span[hosts=1] same[type]");
  EXPECT_EQ(order("span[hosts=-1]", "span[hosts=1]", "span[ptile=2]"), "");
}

TEST_F(JobTermsTest, AReservationAboveTheQueuesIsRefused) {
  const auto parsed = [](const std::string& text) { return resreq::parse(text).value; };
  const auto& indices = config.cluster->indices;
  EXPECT_TRUE(
      resreq::job_over_files(parsed("rusage[mem=50]"), parsed("rusage[mem=10]"), std::nullopt, indices));
  EXPECT_FALSE(resreq::job_over_files({}, parsed("rusage[mem=10]"), parsed("rusage[mem=5]"), indices))
      << "of the profile too";
}

TEST_F(JobTermsTest, TheProfileOverridesTheQueuesRules) {
  auto asked = of_profile("fluent");
  const JobTerms terms = terms_of(config, "normal", asked);
  JobRules rules = job_rules(config, terms, asked);
  EXPECT_THAT(rules.requeue_exits.codes, ElementsAre(55));
  EXPECT_TRUE(rules.rerunnable);
  EXPECT_EQ(rules.most_requeues, 4);
  EXPECT_EQ(rules.most_preexec_retries, 6);
  EXPECT_EQ(rules.most_remote_preexec_retries, 2);
  asked.set_requeue_exits("99");
  asked.set_rerunnable(false);
  rules = job_rules(config, terms, asked);
  EXPECT_THAT(rules.requeue_exits.codes, ElementsAre(99));
  EXPECT_FALSE(rules.rerunnable);
  EXPECT_EQ(preemption_limits(config, terms).most, 3) << "the profile's";
  EXPECT_EQ(preemption_limits(config, terms).total_min, 25) << "the profile's";
  EXPECT_EQ(preemption_limits(config, terms).delay_s, 40) << "that of lsb.params";
  const auto plain = job_rules(config, terms_of(config, "normal", book::plain_job()), book::plain_job());
  EXPECT_THAT(plain.requeue_exits.codes, ElementsAre(77));
  EXPECT_EQ(plain.most_requeues, 9);
  EXPECT_EQ(plain.most_preexec_retries, 1);
}

TEST_F(JobTermsTest, TheHostIsToldWhatTheProfileRuns) {
  const auto of_file = start(submit(of_profile("fluent")));
  EXPECT_EQ(of_file.pre_exec, "/opt/prepare");
  EXPECT_EQ(of_file.post_exec, "/opt/clean");
  EXPECT_EQ(of_file.job_starter, "/opt/starter");
  EXPECT_EQ(of_file.nice, 7);
  EXPECT_EQ(of_file.controls.suspend, "SIGTSTP");
  EXPECT_THAT(of_file.environment, Contains("SOLVER=flow 1"));
  EXPECT_THAT(of_file.environment, Contains("MODE=b"));
  EXPECT_THAT(of_file.environment, Not(Contains("MODE=a")));
  EXPECT_THAT(of_file.environment, Contains("LSB_DJOB_HB_INTERVAL=34")) << "scaled with its one host";
  auto asked = of_profile("fluent");
  asked.set_pre_exec("/own/prepare");
  asked.set_post_exec("/own/clean");
  const auto own = start(submit(asked));
  EXPECT_EQ(own.pre_exec, "/own/prepare");
  EXPECT_EQ(own.post_exec, "/own/clean");
}

TEST_F(JobTermsTest, AnUnknownProfileIsRefused) {
  EXPECT_EQ(refused(of_profile("nosuch")), "nosuch: No such application profile");
}

TEST_F(JobTermsTest, AJobThatNamesNoneHasTheDefaultProfile) {
  book->configure(with_profiles(kProfiles, "fluent"), now);
  const auto id = submit(book::plain_job());
  EXPECT_EQ(job({id, 0}).asked->application(), "fluent");
  bmod(id, {S::kApplicationFieldNumber}, {});
  EXPECT_EQ(job({id, 0}).asked->application(), "") << "bmod -appn takes it off";
  EXPECT_EQ(job({submit(of_profile("capped")), 0}).asked->application(), "capped");
}

TEST_F(JobTermsTest, BmodNamesAnotherProfileOfAPendingJob) {
  const auto id = submit(of_profile("capped"));
  S changed;
  changed.set_application("nosuch");
  EXPECT_THAT(bmod(id, {S::kApplicationFieldNumber}, changed),
              Contains(HasSubstr("nosuch: No such application profile")));
  changed.set_application("fluent");
  changed.set_min_slots(2);
  changed.set_max_slots(2);
  bmod(id, {S::kApplicationFieldNumber, S::kMinSlotsFieldNumber, S::kMaxSlotsFieldNumber}, changed);
  EXPECT_EQ(job({id, 0}).asked->application(), "fluent");
  EXPECT_EQ(book->jobs().effective_limits(job({id, 0})).run_s(), 20 * 60);
  EXPECT_EQ(book->jobs().application_counts("capped"), book::StatusCounts{});
}

TEST_F(JobTermsTest, JobsOfAProfileAreCountedByState) {
  hello("hostA");
  const auto runs_one = submit(of_profile("capped"));
  submit(of_profile("capped"));
  auto three = of_profile("fluent");
  submit(three);
  dispatch({runs_one, 0});
  const auto counts = book->jobs().application_counts("capped");
  EXPECT_EQ(counts.jobs, 2u);
  EXPECT_EQ(counts.pend, 1u);
  EXPECT_EQ(counts.jobs - counts.pend, 1u);
  EXPECT_EQ(book->jobs().application_counts("fluent").pend, 3u) << "slots, as bqueues counts";
}

TEST_F(JobTermsTest, AProfileThatIsGoneLeavesItsJobs) {
  hello("hostA");
  const auto running = submit(of_profile("fluent")), waiting = submit(of_profile("fluent"));
  dispatch({running, 0});
  runs({running, 0});
  book->configure(with_profiles(""), now);
  EXPECT_EQ(status({running, 0}), wire::STATUS_RUN);
  EXPECT_EQ(status({waiting, 0}), wire::STATUS_PEND);
  EXPECT_EQ(job({waiting, 0}).asked->application(), "fluent");
  EXPECT_EQ(book->jobs().effective_limits(job({waiting, 0})).run_s(), 600) << "the queue's alone";
  S changed;
  changed.set_description("waits for its profile");
  bmod(waiting, {S::kDescriptionFieldNumber}, changed);
  EXPECT_EQ(job({waiting, 0}).asked->description(), "waits for its profile");
  bmod(waiting, {S::kApplicationFieldNumber}, {});
  EXPECT_EQ(job({waiting, 0}).asked->application(), "");
}

}  // namespace
}  // namespace rollcall::sched::jobs
