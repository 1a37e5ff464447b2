// The rewritten command line: which words are inserted, and that all other bytes stay.
#include "pam/policy/command_rewrite.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

using Words = std::vector<std::string>;

Callback callback() {
  return {"/opt/lsf/bin/TaskStarter",
          "grid01,10.1.0.1",
          42740,
          "/opt/lsf/conf",
          "/opt/lsf/etc",
          "LINUX86",
          "",
          false};
}

const Words kOurs{"/opt/lsf/bin/TaskStarter",
                  "-p",
                  "grid01,10.1.0.1:42740",
                  "-c",
                  "/opt/lsf/conf",
                  "-s",
                  "/opt/lsf/etc",
                  "-a",
                  "LINUX86"};

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Result<LaunchPlan> plan(const Words& words, const Callback& from = callback()) {
  const auto options = parse_options(words);
  if (!options) return options.error();
  return rewrite(*options, from, {"", "/opt/lsf/bin/default_pjl_wrapper"});
}

const std::string kTsOptions = "-p grid01,10.1.0.1:42740 -c /opt/lsf/conf -s /opt/lsf/etc -a LINUX86";

TEST(Rewrite, Method1PutsTaskStarterBeforeTheJobWord) {
  const auto made = plan({"-g", "4", "3_arg_pjl", "-a", "-b", "group", "job", "-x"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"3_arg_pjl", "-a", "-b", "group"} + kOurs + Words{"job", "-x"}));
  EXPECT_EQ(made->inserted, kOurs.size());
  EXPECT_TRUE(made->environment.empty());
}

TEST(Rewrite, Method1KeepsEveryOddByte) {
  const Words odd{"",   " ",      "a b",          "'\"`$x\\",    "line\nbreak",
                  "-g", "--fold", "\xff\xfe\x01", "TaskStarter", ":"};
  const auto made = plan(Words{"-g", "2", "pjl", ""} + odd);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"pjl", ""} + kOurs + odd));
}

TEST(Rewrite, Method2PutsNothingIn) {
  const auto made = plan({"-g", "/x/openmpi_wrapper", "-x", "LD_LIBRARY_PATH", "a b", "prog"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"/x/openmpi_wrapper", "-x", "LD_LIBRARY_PATH", "a b", "prog"}));
  EXPECT_EQ(made->inserted, 0u);
  EXPECT_EQ(made->environment, (std::vector<std::pair<std::string, std::string>>{
                                   {"LSF_TS", "/opt/lsf/bin/TaskStarter"}, {"LSF_TS_OPTIONS", kTsOptions}}));
}

TEST(Rewrite, ABareJobIsStartedByTheSitesWrapper) {
  const auto made = plan({"mpijob", "-n", "3"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"/opt/lsf/bin/default_pjl_wrapper", "mpijob", "-n", "3"}));
  EXPECT_EQ(made->environment[1].second, kTsOptions);
}

TEST(Rewrite, MpiFindsEveryJobWord) {
  const auto made = plan({"-mpi", "mpirun", "-np", "2", "a", "1", ":", "-np", "3", "b"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv,
            (Words{"mpirun", "-np", "2"} + kOurs + Words{"a", "1", ":", "-np", "3"} + kOurs + Words{"b"}));
  EXPECT_EQ(made->inserted, 2 * kOurs.size());
  EXPECT_TRUE(made->environment.empty());
  EXPECT_FALSE(plan({"-mpi", "mpirun", "--nonsense", "a"}));
}

TEST(Rewrite, AHydraThatLacksBlaunchIsToldToUseSsh) {
  const auto environment_of = [](const Words& words, bool lacks) {
    const auto options = parse_options(words);
    return rewrite(*options, callback(), {.hydra_lacks_blaunch = lacks})->environment;
  };
  const decltype(LaunchPlan::environment) ssh{{"HYDRA_LAUNCHER", "ssh"}};
  EXPECT_EQ(environment_of({"-mpi", "mpiexec.hydra", "-np", "2", "a"}, true), ssh);
  EXPECT_EQ(environment_of({"-g", "3", "mpiexec.hydra", "-np", "2", "a"}, true), ssh);
  EXPECT_TRUE(environment_of({"-mpi", "mpiexec.hydra", "-np", "2", "a"}, false).empty());
  EXPECT_TRUE(environment_of({"-mpi", "mpirun.openmpi", "-np", "2", "a"}, true).empty());
  EXPECT_TRUE(environment_of({"-g", "1", "sh", "a"}, true).empty());
}

TEST(Rewrite, WhatLsfTsOptionsCannotCarryIsRefused) {
  for (const char* bad : {"/opt/l s f", "/opt/\tlsf", "/opt/l\nsf", "/opt/l*f", "/opt/l[s]f", "/opt/l?f"})
    for (auto member : {&Callback::starter_path, &Callback::env_dir, &Callback::server_dir}) {
      Callback broken = callback();
      broken.*member = bad;
      for (const Words& words : {Words{"-g", "wrapper", "p"}, Words{"bare"}}) {
        const auto made = plan(words, broken);
        ASSERT_FALSE(made) << bad;
        EXPECT_EQ(made.error().kind, ErrorKind::usage);
        EXPECT_NE(made.error().text.find("LSF_TS_OPTIONS cannot carry it"), std::string::npos);
        EXPECT_EQ(made.error().text.find('\n'), std::string::npos) << "one line";
      }
      EXPECT_TRUE(plan({"-g", "1", "wrapper", "p"}, broken)) << "an argument carries any byte";
    }
}

TEST(Rewrite, AnEmptyDirectoryLeavesItsOptionOut) {
  Callback bare = callback();
  bare.env_dir = bare.server_dir = bare.host_type = "";
  EXPECT_EQ(callback_words(bare), (Words{"/opt/lsf/bin/TaskStarter", "-p", "grid01,10.1.0.1:42740"}));
}

TEST(Rewrite, AKeyThatIsElsewhereGoesWithTheCallback) {
  Callback elsewhere = callback();
  elsewhere.key_file = "/scratch/key";
  EXPECT_EQ(callback_words(elsewhere), kOurs + (Words{"-k", "/scratch/key"}));
  elsewhere.key_file = "/scratch/another key";
  EXPECT_EQ(plan({"-g", "w", "p"}, elsewhere)->environment[1].second, kTsOptions)
      << "LSF_TS_OPTIONS cannot carry it";
}

TEST(Rewrite, TheNameOfARelayGoesWithTheCallback) {
  Callback drawn = callback();
  drawn.relay = "00ff";
  EXPECT_EQ(callback_words(drawn), kOurs + (Words{"-r", "00ff"}));
}

TEST(Rewrite, AsOneWordItIsCarriedByEveryLauncherAndWrapper) {
  Callback one = callback();
  one.one_word = true;
  one.env_dir = "/opt/l s*f";
  const std::string word = "pam:grid01,10.1.0.1:42740@c:/opt/l%20s%2Af@s:/opt/lsf/etc@a:LINUX86";
  const auto made = plan({"-g", "2", "launcher", "--prefix-one", "job", "-x"}, one);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->argv, (Words{"launcher", "--prefix-one", "/opt/lsf/bin/TaskStarter", word, "job", "-x"}));
  EXPECT_EQ(made->inserted, 2U);
  const auto wrapped = plan({"-g", "wrapper", "job"}, one);
  ASSERT_TRUE(wrapped) << wrapped.error().text;
  EXPECT_EQ(wrapped->environment[1], std::pair(std::string("LSF_TS_OPTIONS"), word));
}

TEST(Rewrite, TheDryRunIsOneQuotedWordPerLine) {
  EXPECT_EQ(
      dry_run_text(*plan({"-g", "1", "mpirun", "a b", "", "it's", "A=1", "--x=y"})),
      "mpirun\n/opt/lsf/bin/TaskStarter\n-p\ngrid01,10.1.0.1:42740\n-c\n/opt/lsf/conf\n-s\n/opt/lsf/etc\n-a\n"
      "LINUX86\n'a b'\n''\n'it'\\''s'\n'A=1'\n--x=y\n");
  EXPECT_EQ(dry_run_text(*plan({"-g", "w", "p"})),
            "LSF_TS=/opt/lsf/bin/TaskStarter\nLSF_TS_OPTIONS='" + kTsOptions + "'\nw\np\n");
}

TEST(Rewrite, TheJobLineIsTheUsersOwnCommand) {
  EXPECT_EQ(command_text(*parse_options({"-t", "-g", "1", "mpirun", "a b", "c"})), "mpirun a b c");
}

}  // namespace
}  // namespace rollcall::pam
