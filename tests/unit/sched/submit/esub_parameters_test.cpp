// The files between bsub and its esubs.
#include "sched/policy/submit/esub_parameters.hpp"

#include <gmock/gmock.h>

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::submit;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

Draft draft_of(const std::vector<std::string>& words) {
  return *draft_submission(*split_submit_words(words, SubmitForm::bsub), {}, SubmitContext{});
}

TEST(EsubParameters, TellWhatIsSet) {
  EXPECT_EQ(esub_parameters(draft_of({"-q", "short", "-J", "a[1-3]%2", "-n", "2,4", "-a", "openmpi", "-R",
                                      "mem>5", "-x", "-W", "2", "echo", "$x"})),
            "LSB_SUB_JOB_NAME=\"a[1-3]%2\"\n"
            "LSB_SUB_QUEUE=\"short\"\n"
            "LSB_SUB_EXCLUSIVE=\"Y\"\n"
            "LSB_SUB_RES_REQ=\"mem>5\"\n"
            "LSB_SUB_RLIMIT_RUN=120\n"
            "LSB_SUB_NUM_PROCESSORS=2\n"
            "LSB_SUB_MAX_NUM_PROCESSORS=4\n"
            "LSB_SUB_ADDITIONAL=\"openmpi\"\n"
            "LSB_SUB_COMMAND_LINE=\"echo \\$x\"\n"
            "LSB_SUB_COMMANDNAME=\"echo \\$x\"\n");
}

TEST(EsubParameters, AreReadAsAShellWould) {
  const auto pairs =
      esub_pairs("# comment\n\nA=1\n  B=\"x \\\"y\\\" \\$z\"\nC='a\nb'\nD=a\\ b\nE=\nF=\"\\n\"");
  ASSERT_TRUE(pairs) << pairs.error().text;
  EXPECT_THAT(*pairs, ElementsAre(Pair("A", "1"), Pair("B", "x \"y\" $z"), Pair("C", "a\nb"),
                                  Pair("D", "a b"), Pair("E", ""), Pair("F", "\\n")));
  EXPECT_THAT(esub_pairs("A=1\nnonsense\n").error().text, HasSubstr("line 2: found \"nonsense\""));
  EXPECT_THAT(esub_pairs("A=\"1\n").error().text, HasSubstr("line 1: found no closing \""));
}

TEST(EsubParameters, GoThereAndBack) {
  Draft draft = draft_of({"-q", "short", "-J", "a[1-3]", "-n", "2", "-M", "5", "echo", "x"});
  const std::string before = draft.job.SerializeAsString();
  ASSERT_TRUE(apply_esub_changes(
      draft, "LSB_SUB_QUEUE=\"short\"\nLSB_SUB_JOB_NAME=\"a[1-3]\"\nLSB_SUB_RLIMIT_RSS=5\n", {}));
  EXPECT_EQ(draft.job.SerializeAsString(), before);
}

TEST(EsubParameters, ChangeTheJob) {
  Draft draft = draft_of({"-x", "-R", "mem>5", "-n", "3", "myjob"});
  ASSERT_TRUE(apply_esub_changes(draft,
                                 "LSB_SUB_COMMAND_LINE=\"pam -g 1 psm_lsf_wrapper myjob\"\n"
                                 "LSB_SUB_EXCLUSIVE=SUB_RESET\nLSB_SUB_RES_REQ=\"select[gm_ports>0]\"\n"
                                 "LSB_SUB_PROJECT_NAME=p1\nLSB_SUB_RLIMIT_RUN=60\nLSB_SUB_FISH=Y\n",
                                 {}));
  EXPECT_EQ(draft.job.command(), "pam -g 1 psm_lsf_wrapper myjob");
  EXPECT_FALSE(draft.job.exclusive());
  EXPECT_THAT(draft.resreqs, ElementsAre("select[gm_ports>0]"));
  EXPECT_EQ(draft.job.project(), "p1");
  EXPECT_EQ(draft.job.limits().run_s(), 60);
  EXPECT_THAT(draft.esub_notices, ElementsAre(HasSubstr("LSB_SUB_FISH")));
  EXPECT_THAT(apply_esub_changes(draft, "LSB_SUB_NUM_PROCESSORS=x\n", {}).error().text,
              HasSubstr("esub: LSB_SUB_NUM_PROCESSORS: found"));
}

TEST(EsubParameters, ChangeTheEnvironment) {
  Draft draft = draft_of({"x"});
  ASSERT_TRUE(apply_esub_environment(draft, "LSF_PJL_TYPE=\"openmpi\"\n"));
  SubmitContext context;
  context.environment = {"A=1", "LSF_PJL_TYPE=old"};
  EXPECT_THAT(finish_submission(draft, context)->environment(), ElementsAre("A=1", "LSF_PJL_TYPE=openmpi"));
}

TEST(EsubCalls, ComeInOrder) {
  const auto calls = esub_calls("site", "openmpi check(a, b)");
  ASSERT_TRUE(calls) << calls.error().text;
  ASSERT_EQ(calls->size(), 4u);
  EXPECT_EQ((*calls)[0].name, "site");
  EXPECT_EQ((*calls)[1].name, "");
  EXPECT_EQ((*calls)[2].name, "openmpi");
  EXPECT_EQ((*calls)[3].name, "check");
  EXPECT_THAT((*calls)[3].arguments, ElementsAre("a", "b"));
  for (const char* asked : {"../../bin/sh", "a/b", "a(b", "(x)"})
    EXPECT_FALSE(esub_calls("", asked)) << asked;
}

}  // namespace
