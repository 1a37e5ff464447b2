// Which words are options.
#include "sched/policy/submit/submit_options.hpp"

#include <gmock/gmock.h>

#include <set>

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::submit;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// "-n=4 -H | sleep 10"
std::string split(const std::vector<std::string>& words, SubmitForm form = SubmitForm::bsub) {
  const auto split = split_submit_words(words, form, form == SubmitForm::script_line ? "line 7: " : "");
  if (!split) return split.error().text;
  std::string text;
  for (const auto& use : split->options)
    text += std::string(use.option->name) + (use.reset ? "n" : "") +
            (use.option->value == SubmitOption::Value::required && !use.reset ? "=" + use.value : "") + " ";
  text += "|";
  for (const auto& operand : split->operands) text += " " + operand;
  return text;
}

TEST(SubmitOptions, EndAtTheCommand) {
  EXPECT_EQ(split({"-n", "4", "-H", "sleep", "-n", "10"}), "-n=4 -H | sleep -n 10");
  EXPECT_EQ(split({"-H", "--", "-x"}), "-H | -x");
  EXPECT_EQ(split({"-", "x"}), "| - x");
  EXPECT_EQ(split({}), "|");
}

TEST(SubmitOptions, MayHaveTheirValueJoined) {
  EXPECT_EQ(split({"-n4", "-M2000", "-Rselect[mem>5]", "-qlong", "x"}),
            "-n=4 -M=2000 -R=select[mem>5] -q=long | x");
  EXPECT_EQ(split({"-oo", "f", "-eo", "g", "-oout", "-env", "all"}), "-oo=f -eo=g -o=out -env=all |");
  EXPECT_EQ(split({"-Is", "-Ip", "-I", "-is", "f"}), "-Is -Ip -I -is=f |");
}

TEST(SubmitOptions, TakeAnyWordAsAValue) {
  EXPECT_EQ(split({"-gpu", "-", "-R", "-"}), "-gpu=- -R=- |");
  EXPECT_THAT(split({"-n"}), HasSubstr("-n: option requires a value"));
}

TEST(SubmitOptions, AreRefusedByNameWhereTheyAreNotThereYet) {
  for (const char* option : {"-U", "-sla", "-sp", "-ext", "-We", "-k", "-clusters"})
    EXPECT_THAT(split({option, "v", "x"}), testing::AllOf(HasSubstr(std::string(option) + ":"),
                                                          HasSubstr("not supported in this release")))
        << option;
  for (const char* option : {"-mig", "-s", "-rnc", "-jsdl", "-jsdl_strict", "-yaml", "-aps"})
    EXPECT_THAT(split({option, "v", "x"}), HasSubstr(std::string(option) + ": ")) << option;
  EXPECT_THAT(split({"-mig", "v", "x"}), testing::Not(HasSubstr("unknown option")));
  for (const char* option : {"-ar", "-hl", "-ul", "-ti", "-Ne", "-tty", "-datachk", "-IX", "-XF"})
    EXPECT_THAT(split({option, "x"}), HasSubstr(std::string(option) + ":")) << option;
  EXPECT_THAT(split({"-bogus", "x"}), HasSubstr("|"));  // -b ogus: its value is refused later
  EXPECT_THAT(split({"-Xyz"}), HasSubstr("-Xyz: unknown option; see \"bsub -h\""));
  EXPECT_THAT(split({"-Hx"}), HasSubstr("-Hx: unknown option; see \"bsub -h\""));
}

TEST(SubmitOptions, OfAScriptLineAreAllThatIsOnIt) {
  EXPECT_EQ(split({"-n", "4"}, SubmitForm::script_line), "-n=4 |");
  EXPECT_THAT(split({"-J", "a", "b"}, SubmitForm::script_line),
              HasSubstr("line 7: found \"b\", expected an option"));
}

TEST(SubmitOptions, OfBmodGoBackToTheDefault) {
  EXPECT_EQ(split({"-Mn", "-Wn", "-nn", "-xn", "-Epn", "12"}, SubmitForm::bmod), "-Mn -Wn -nn -xn -Epn | 12");
  EXPECT_EQ(split({"-rn", "12"}, SubmitForm::bmod), "-rn | 12");
  EXPECT_EQ(split({"12", "-Z", "new", "13"}, SubmitForm::bmod), "-Z=new | 12 13");
  for (const char* option : {"-K", "-I", "-env", "-id", "-H"})
    EXPECT_THAT(split({option, "12"}, SubmitForm::bmod), HasSubstr("only bsub has it")) << option;
  EXPECT_THAT(split({"-Z", "x"}), HasSubstr("only bmod has it"));
}

TEST(SubmitOptions, AreEachThereOnce) {
  std::set<std::string_view> names;
  for (const auto& option : submit_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_NE(option.apply == nullptr, option.not_there.empty()) << option.name;
  }
  // Section 0 of what programs pass.
  for (const char* name : {"-J", "-o",  "-oo",  "-e", "-eo",     "-i",   "-q",           "-P",   "-G",  "-n",
                           "-R", "-M",  "-W",   "-c", "-w",      "-cwd", "-outdir",      "-env", "-L",  "-H",
                           "-r", "-rn", "-u",   "-B", "-N",      "-sp",  "-m",           "-x",   "-U",  "-b",
                           "-E", "-f",  "-app", "-a", "-nnodes", "-gpu", "-alloc_flags", "-I",   "-Is", "-K"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_THAT(submit_usage(), HasSubstr("\n  -oo FILE "));
}

}  // namespace
