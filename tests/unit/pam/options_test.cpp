// pam's command line: every valid form, and every invalid one.
#include "pam/policy/options.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Mode = Options::Mode;
using Words = std::vector<std::string>;

// The one line of the usage error for these words; fails where they are accepted.
std::string refusal(const Words& words) {
  const auto options = parse_options(words);
  if (options) return "accepted";
  EXPECT_EQ(options.error().kind, ErrorKind::usage);
  EXPECT_EQ(options.error().text.find('\n'), std::string::npos) << "one line";
  return options.error().text;
}

TEST(Options, AWordOfDigitsAfterGIsTheNumberOfTheLaunchersWords) {
  const auto options = parse_options({"-g", "4", "3_arg_pjl", "-a", "-b", "group", "job", "-t"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->mode, Mode::method1);
  EXPECT_EQ(options->launcher_words, 4u);
  EXPECT_EQ(options->command, (Words{"3_arg_pjl", "-a", "-b", "group", "job", "-t"}));
  EXPECT_FALSE(options->no_table) << "a -t after -g is not ours";
}

TEST(Options, AnyOtherWordAfterGIsTheWrapper) {
  for (const char* wrapper : {"/opt/lsf/bin/openmpi_wrapper", "4x", "-4", "+4", "4 ", "0x1"}) {
    const auto options = parse_options({"-g", wrapper, "-n", "3", "prog"});
    ASSERT_TRUE(options) << wrapper;
    EXPECT_EQ(options->mode, Mode::method2);
    EXPECT_EQ(options->command, (Words{wrapper, "-n", "3", "prog"}));
    EXPECT_EQ(options->tasks, std::nullopt);
  }
}

TEST(Options, MpiAndBareJobsTakeTheRestAsItIs) {
  const auto mpi = parse_options({"-mpi", "mpirun", "-np", "2", "app"});
  ASSERT_TRUE(mpi);
  EXPECT_EQ(mpi->mode, Mode::mpi);
  EXPECT_EQ(mpi->command, (Words{"mpirun", "-np", "2", "app"}));
  const auto bare = parse_options({"-t", "job", "-g", "1", "--fold"});
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->mode, Mode::bare);
  EXPECT_TRUE(bare->no_table);
  EXPECT_FALSE(bare->fold);
  EXPECT_EQ(bare->command, (Words{"job", "-g", "1", "--fold"}));
}

TEST(Options, ALauncherAsABareJobIsToldWhatToType) {
  const auto refused = parse_options({"-n", "2", "mpirun", "-np", "2", "app"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().text,
      "\"mpirun\" is a launcher, and stands where the job is expected; type: pam -n 2 -mpi mpirun -np 2 app");
  EXPECT_TRUE(parse_options({"--", "mpirun", "-np", "2", "app"})) << "a job of that name";
}

TEST(Options, TwoDashesEndPamsOptionsForABareJob) {
  const auto options = parse_options({"-v", "--", "-odd-name", "-g"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->mode, Mode::bare);
  EXPECT_EQ(options->command, (Words{"-odd-name", "-g"}));
}

TEST(Options, ReadsEveryOption) {
  const auto options =
      parse_options({"-t", "-v", "-n", "8", "--dry-run", "--report", "r.json", "--timeout-first=1.5",
                     "--launcher-grace", "0", "--full-table", "-g", "w", "p"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->no_table && options->verbose && options->dry_run && options->full_table);
  EXPECT_EQ(options->tasks, 8);
  EXPECT_EQ(options->report_file, "r.json");
  EXPECT_EQ(options->timeout_first, milliseconds(1500));
  EXPECT_EQ(options->launcher_grace, seconds(0));
  EXPECT_TRUE(parse_options({"--fold", "--report=a=b", "-g", "w"})->fold);
  EXPECT_EQ(parse_options({"--report=a=b", "-g", "w"})->report_file, "a=b");
  EXPECT_EQ(parse_options({"--plot", "launch.svg", "-g", "w"})->plot_file, "launch.svg");
  EXPECT_EQ(parse_options({"-g", "w", "--plot", "x"})->plot_file, std::nullopt);
}

TEST(Options, HelpAndVersionAskForNothingElse) {
  EXPECT_TRUE(parse_options({"-h"})->help);
  EXPECT_TRUE(parse_options({"--help"})->help);
  EXPECT_TRUE(parse_options({"-v", "-V", "--nonsense"})->version);
  EXPECT_FALSE(parse_options({"-g", "w", "-h"})->help) << "that one is the wrapper's";
  EXPECT_NE(usage_text().find("-g [num_args] pjl"), std::string::npos);
}

TEST(Options, NothingAtAllIsRefused) {
  EXPECT_NE(refusal({}).find("no launcher and no job"), std::string::npos);
  EXPECT_NE(refusal({"-t"}).find("no launcher and no job"), std::string::npos);
  EXPECT_NE(refusal({"-g"}).find("expected a launcher"), std::string::npos);
  EXPECT_NE(refusal({"-g", "3"}).find("expected a launcher"), std::string::npos);
  EXPECT_NE(refusal({"-mpi"}).find("expected a launcher"), std::string::npos);
  EXPECT_NE(refusal({"-g", ""}).find("empty word"), std::string::npos);
  EXPECT_NE(refusal({"-g", "1", "", "x"}).find("empty word"), std::string::npos);
  EXPECT_NE(refusal({""}).find("empty word"), std::string::npos);
}

TEST(Options, InvalidNumberOfWordsIsRefused) {
  EXPECT_EQ(refusal({"-g", "0", "w", "p"}), "-g 0: expected at least 1, the launcher's word itself");
  EXPECT_EQ(refusal({"-g", "000", "w", "p"}), "-g 000: expected at least 1, the launcher's word itself");
  EXPECT_EQ(refusal({"-g", "3", "w", "p"}), "-g 3: only 2 words follow");
  EXPECT_EQ(refusal({"-g", "1000000000", "w", "p"}), "-g 1000000000: only 2 words follow");
  EXPECT_EQ(refusal({"-g", "99999999999999999999", "w", "p"}),
            "-g 99999999999999999999: only 2 words follow");
  EXPECT_EQ(refusal({"-g", "2", "w", "p"}), "-g 2: all words are the launcher's, expected a job after them");
}

TEST(Options, InvalidTimesAndNumbersAreRefused) {
  for (const char* bad : {"0", "-3", "x", "", "1e3", "4 ", "99999999999", "10000001"})
    EXPECT_NE(refusal({"-n", bad, "-g", "w"}).find("-n: found"), std::string::npos) << bad;
  for (const char* bad : {"-1", "x", "", "1.", ".5", "1.2.3", "0x10", "nan", "inf", "1000000001", "5s"})
    for (const char* option : {"--timeout-first", "--launcher-grace"})
      EXPECT_NE(refusal({option, bad, "-g", "w"}).find(std::string(option) + ": found"), std::string::npos)
          << bad;
  EXPECT_NE(refusal({"--report=", "-g", "w"}).find("expected a file name"), std::string::npos);
  EXPECT_EQ(refusal({"--plot=", "-g", "w"}), "--plot: found \"\", expected a file name");
  EXPECT_EQ(refusal({"--plot", "-g", "1", "w", "p"}),
            "--plot: found the option \"-g\", expected a file name");
  EXPECT_NE(refusal({"-n"}).find("expected a value"), std::string::npos);
}

TEST(Options, UnknownOptionIsNamed) {
  EXPECT_EQ(refusal({"--nonsense", "-g", "w"}), "unknown option \"--nonsense\"; pam -h lists the known ones");
  EXPECT_NE(refusal({"-x"}).find("\"-x\""), std::string::npos);
  EXPECT_NE(refusal({"-"}).find("\"-\""), std::string::npos);
  EXPECT_NE(refusal({"--fold=yes", "p"}).find("\"--fold=yes\""), std::string::npos);
  EXPECT_NE(refusal({"-g1", "w", "p"}).find("\"-g1\""), std::string::npos);
  EXPECT_NE(refusal({"-\x01\n"}).find("\"-\\x01\\x0a\""), std::string::npos) << "odd bytes are made visible";
}

TEST(Options, AutoPlaceIsRefusedByName) {
  for (const Words& words : {Words{"-mpi", "-auto_place", "job"}, Words{"-auto_place", "-mpi", "job"}})
    EXPECT_NE(refusal(words).find("-auto_place is not supported"), std::string::npos);
}

TEST(Options, TheTwoTablesExcludeEachOther) {
  EXPECT_EQ(refusal({"--fold", "--full-table", "-g", "w"}), "--fold and --full-table exclude each other");
}

}  // namespace
}  // namespace rollcall::pam
