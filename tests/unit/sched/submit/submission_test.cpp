// A submission from words and a script.
#include "sched/policy/submit/submission.hpp"

#include <gmock/gmock.h>

#include "sched/policy/submit/esub_parameters.hpp"
#include "sched/policy/values/without_effect.hpp"

namespace rollcall::sched::submit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SubmitContext context() {
  SubmitContext c;
  c.environment = {"HOME=/home/u",  "PATH=/bin",          "LSB_JOBID=7",
                   "LSB_HOSTS=a b", "LSB_JOBINDEX_END=9", "LSF_TS_OPTIONS=-p x:1"};
  c.cwd = "/home/u/work";
  c.home = "/home/u";
  c.from_host = "hostA";
  return c;
}

Result<wire::Submission> submission(const std::vector<std::string>& words,
                                    std::optional<std::string> script = {},
                                    const SubmitContext& surroundings = context()) {
  const auto line = split_submit_words(words, SubmitForm::bsub);
  if (!line) return line.error();
  std::optional<JobScript> text;
  if (script) text = JobScript{*script, true};
  const auto draft = draft_submission(*line, text, surroundings);
  if (!draft) return draft.error();
  return finish_submission(*draft, surroundings);
}

std::string error_of(const std::vector<std::string>& words, std::optional<std::string> script = {}) {
  const auto job = submission(words, script);
  return job ? "" : job.error().text;
}

// LSB_GPU_REQ of lsf.conf: all of "-gpu -", and what another -gpu does not say.
TEST(Submission, SiteFillsInWhatGpuOptionLeavesOut) {
  auto site = context();
  site.gpu_default = "num=4:mode=exclusive_process:j_exclusive=yes";
  EXPECT_EQ(submission({"-gpu", "-", "x"}, {}, site)->gpu(), "num=4:mode=exclusive_process:j_exclusive=yes");
  EXPECT_EQ(submission({"-gpu", "num=2", "x"}, {}, site)->gpu(),
            "num=2:mode=exclusive_process:j_exclusive=yes");
  EXPECT_EQ(submission({"x"}, {}, site)->gpu(), "") << "a job that asks for no GPU has none";
  site.gpu_default = "num=lots";
  EXPECT_THAT(submission({"-gpu", "-", "x"}, {}, site).error().text, HasSubstr("LSB_GPU_REQ of lsf.conf: "));
}

TEST(Submission, HasTheOptionsAndTheCommand) {
  const auto job = submission({"-n", "2,4", "-J", "x", "-o", "out.%J", "sleep", "10"});
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->command(), "sleep 10");
  EXPECT_EQ(job->script(), "");
  EXPECT_EQ(job->min_slots(), 2u);
  EXPECT_EQ(job->max_slots(), 4u);
  EXPECT_EQ(job->job_name(), "x");
  EXPECT_EQ(job->output_file(), "out.%J");
  EXPECT_EQ(job->cwd(), "/home/u/work");
  EXPECT_EQ(job->from_host(), "hostA");
  EXPECT_THAT(job->environment(),
              ElementsAre("HOME=/home/u", "PATH=/bin"));  // not those of the job we are in
}

TEST(Submission, KeepsWordsWithBlanksTogether) {
  EXPECT_EQ(command_line({"sh", "-c", "echo $HOSTNAME > f"}), "sh -c 'echo $HOSTNAME > f'");
  EXPECT_EQ(command_line({"/usr/bin/bash S $LSB_JOBINDEX"}), "/usr/bin/bash S $LSB_JOBINDEX");
  EXPECT_EQ(command_line({"my", "$LSB_JOBINDEX", ">", "out"}), "my $LSB_JOBINDEX > out");
  EXPECT_EQ(command_line({"a", "", "b"}), "a '' b");
}

TEST(Submission, HasTheOptionsOfItsScriptAndTheCommandLineWins) {
  const std::string script = "#!/bin/bash\n#BSUB -J fromscript\n#BSUB -n 2\necho hi\n";
  const auto job = submission({"-J", "fromline"}, script);
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->job_name(), "fromline");  // the command line wins
  EXPECT_EQ(job->min_slots(), 2u);
  EXPECT_EQ(job->script(), script);
  EXPECT_EQ(job->shell(), "/bin/bash");
  EXPECT_EQ(job->command(), "#!/bin/bash;#BSUB -J fromscript;#BSUB -n 2;echo hi");
}

TEST(Submission, ReplacesOptionsOfOneKind) {
  const auto job =
      submission({"-oo", "line.out"}, "#BSUB -o script.out\n#BSUB -R rusage[mem=5]\n#BSUB -e e\ntrue\n");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->output_file(), "line.out");
  EXPECT_TRUE(job->output_overwrite());
  EXPECT_EQ(job->error_file(), "e");
  EXPECT_EQ(job->resreq(), "rusage[mem=5]");
  EXPECT_EQ(submission({"-R", "rusage[mem=7]"}, "#BSUB -R rusage[swp=5]\ntrue\n")->resreq(), "rusage[mem=7]");
}

TEST(Submission, NamesTheLineOfAScript) {
  EXPECT_THAT(error_of({}, "#!/bin/sh\n\n#BSUB -n zero\ntrue\n"), HasSubstr("line 3: -n: found \"zero\""));
  EXPECT_THAT(error_of({}, "#BSUB -sla x\ntrue\n"),
              HasSubstr("line 1: -sla: service classes are not supported in this release"));
  EXPECT_EQ(submission({}, "#BSUB -app x\ntrue\n")->application(), "x");
}

TEST(Submission, MergesRequirements) {
  EXPECT_EQ(submission({"-R", "select[mem>500] rusage[mem=500]", "-R", "span[hosts=1]", "x"})->resreq(),
            "select[mem > 500] rusage[mem=500] span[hosts=1]");
  EXPECT_EQ(submission({"-R", "mem > 500", "x"})->resreq(), "select[mem > 500]");
  EXPECT_EQ(submission({"-R", "span[hosts=1]]", "x"})->resreq(), "span[hosts=1]");  // TorchX
  EXPECT_EQ(submission({"-R", "rusage[vcssim=1,dyn=1:duration=1]", "x"})->resreq(),
            "rusage[vcssim=1,dyn=1:duration=1]");
  EXPECT_TRUE(submission({"-R", "select[type==any]", "-R", "hname!='h'", "x"}));
}

TEST(Submission, ShowsWhereARequirementIsWrong) {
  const std::string text = error_of({"-R", "select[mem >", "x"});
  EXPECT_THAT(text, HasSubstr("-R: "));
  EXPECT_THAT(text, HasSubstr("\nselect[mem >\n"));
  EXPECT_THAT(text, HasSubstr("^"));
  EXPECT_THAT(error_of({"-R", "affinity[core(2)]", "x"}),
              HasSubstr("affinity[] is not supported in this release"));
  EXPECT_THAT(error_of({"-R", "cu[type=rack]", "x"}), HasSubstr("cu[] is not supported in this release"));
  EXPECT_THAT(error_of({"-R", "span[hosts=1]", "-R", "span[ptile=2]", "x"}), HasSubstr("-R:"));
}

TEST(Submission, HasLimitsInKb) {
  SubmitContext mb = context();
  mb.limit_unit_kb = 1024;
  const auto job = submission(
      {"-M", "100", "-v", "2G", "-C", "1", "-D", "5", "-F", "6", "-S", "7", "-W", "1:30", "-c", "3.5", "x"},
      {}, mb);
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->limits().memory_kb(), 100 * 1024);
  EXPECT_FALSE(job->limits().memory_hard());
  EXPECT_EQ(job->limits().swap_kb(), 2 * 1024 * 1024);
  EXPECT_EQ(job->limits().core_kb(), 1024);
  EXPECT_EQ(job->limits().data_kb(), 5 * 1024);
  EXPECT_EQ(job->limits().file_kb(), 6);
  EXPECT_EQ(job->limits().stack_kb(), 7 * 1024);
  EXPECT_EQ(job->limits().run_s(), 5400);
  EXPECT_EQ(job->limits().cpu_s(), 210);
  EXPECT_TRUE(submission({"-M", "20GB!", "x"})->limits().memory_hard());
  EXPECT_THAT(error_of({"-v", "5!", "x"}), HasSubstr("a size without !"));
}

TEST(Submission, NnodesAsksForWholeHosts) {
  const auto job = submission({"-nnodes", "2", "x"});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->nodes(), 2u);
  EXPECT_EQ(job->min_slots(), 2u);
  EXPECT_EQ(job->resreq(), "");
  EXPECT_TRUE(job->exclusive());
}

TEST(Submission, NamesOptionsWithoutEffect) {
  const auto notices = [](const char* gpu) {
    return options_without_effect(*submission({"-gpu", gpu, "x"}));
  };
  EXPECT_THAT(notices("num=1:mode=exclusive_process"), ElementsAre(HasSubstr("compute mode is not set")));
  EXPECT_THAT(notices("num=1:mode=shared"), IsEmpty());
  EXPECT_THAT(options_without_effect(*submission({"-alloc_flags", "smt4", "x"})),
              ElementsAre("-alloc_flags smt4: kept, without effect here"));
}

TEST(Submission, MakesDirectoriesAbsolute) {
  EXPECT_EQ(submission({"-cwd", ".", "x"})->asked_cwd(), "/home/u/work");
  EXPECT_EQ(submission({"-cwd", "sub", "x"})->asked_cwd(), "/home/u/work/sub");
  EXPECT_EQ(submission({"-cwd", "/tmp/%J", "x"})->asked_cwd(), "/tmp/%J");
  EXPECT_EQ(submission({"-cwd", "$HOME/x", "x"})->asked_cwd(), "$HOME/x");
}

TEST(Submission, HasTheEnvironmentThatIsChosen) {
  EXPECT_THAT(submission({"-env", "none", "x"})->environment(), IsEmpty());
  EXPECT_THAT(submission({"-env", "all, A=1", "x"})->environment(),
              ElementsAre("HOME=/home/u", "PATH=/bin", "A=1"));
  SubmitContext no_report = context();
  no_report.environment.push_back("LSB_JOB_REPORT_MAIL=N");
  EXPECT_THAT(submission({"-env", "none", "x"}, {}, no_report)->environment(),
              ElementsAre("LSB_JOB_REPORT_MAIL=N"));
}

TEST(Submission, TakesDefaultsOfTheEnvironment) {
  SubmitContext c = context();
  c.environment = {"LSB_DEFAULTQUEUE=a b", "LSB_DEFAULTPROJECT=p"};
  EXPECT_THAT(submission({"x"}, {}, c)->queues(), ElementsAre("a", "b"));
  EXPECT_EQ(submission({"x"}, {}, c)->project(), "p");
  EXPECT_THAT(submission({"-q", "q1 q2", "x"}, {}, c)->queues(), ElementsAre("q1", "q2"));
}

TEST(Submission, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(error_of({"-K", "-I", "x"}), HasSubstr("-K: found with -I"));
  EXPECT_THAT(error_of({"-Is", "-J", "a[1-2]", "x"}), HasSubstr("-I: found with an array"));
  EXPECT_THAT(error_of({"-n", "2"}), HasSubstr("found no command"));
  EXPECT_THAT(error_of({}, "\n\n"), HasSubstr("found no command"));
  EXPECT_THAT(error_of({"-L", "bash", "x"}), HasSubstr("absolute path"));
}

TEST(Submission, RunsAFileByItsName) {
  const auto line = split_submit_words({"./job.sh", "arg"}, SubmitForm::bsub);
  const auto draft = draft_submission(*line, JobScript{"#!/bin/sh\n#BSUB -n 3\n", false}, context());
  ASSERT_TRUE(draft);
  const auto job = finish_submission(*draft, context());
  EXPECT_EQ(job->command(), "./job.sh arg");
  EXPECT_EQ(job->script(), "");
  EXPECT_EQ(job->min_slots(), 3u);
}

TEST(Modification, NamesTheFieldsThatChange) {
  const auto changes = parse_bmod({"-M", "500", "-q", "a", "-wn", "-J", "new", "12", "13[2]"}, context());
  ASSERT_TRUE(changes) << changes.error().text;
  EXPECT_THAT(changes->job_words, ElementsAre("12", "13[2]"));
  EXPECT_THAT(changes->fields,
              testing::UnorderedElementsAre(
                  kLimitFields + wire::Limits::kMemoryKbFieldNumber, wire::Submission::kQueuesFieldNumber,
                  wire::Submission::kDependencyFieldNumber, wire::Submission::kJobNameFieldNumber));
  EXPECT_EQ(changes->changed.limits().memory_kb(), 500);
  EXPECT_EQ(changes->changed.dependency(), "");
  EXPECT_EQ(changes->text, "-M 500 -q a -wn -J new");
}

TEST(Modification, OfAnArraysSlots) {
  const auto changes = parse_bmod({"-J", "%5", "12"}, context());
  ASSERT_TRUE(changes);
  EXPECT_THAT(changes->fields, ElementsAre(wire::Submission::kArraySlotsFieldNumber));
  EXPECT_EQ(changes->changed.array_slots(), 5u);
  EXPECT_FALSE(parse_bmod({"-J", "%0", "12"}, context()));
  EXPECT_FALSE(parse_bmod({"-J", "a[1-3]", "12"}, context()));
}

TEST(Modification, WantsOptionsAndJobs) {
  EXPECT_THAT(parse_bmod({"-M", "500"}, context()).error().text, HasSubstr("no job ID given"));
  EXPECT_THAT(parse_bmod({"12"}, context()).error().text, HasSubstr("nothing to change"));
}

}  // namespace
}  // namespace rollcall::sched::submit
