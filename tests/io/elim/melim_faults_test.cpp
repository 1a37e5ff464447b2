// MELIM with faulty elims of every kind, each beside a sound one, whose values must arrive at their
// time, while MELIM's memory stays small.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/io/common/sanitized.hpp"
#include "tests/io/elim/melim_stage.hpp"

namespace rollcall::melim::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kMostKilobytes = rollcall::test::kSanitized ? 1'000'000 : 10'000;  // its own memory

class MelimFaults : public MelimStage {
 protected:
  // `mode` beside elim.sound, which has spoken.
  void beside_a_sound_one(const std::string& mode) {
    install("sound");
    install(mode);
    send_orders();
    wait_until("the first value of elim.sound", [&] { return told_["sound"] > 0; });
  }
  void the_others_are_well() {
    expect_neighbour_is_heard();
    EXPECT_LT(peak_kilobytes(), kMostKilobytes);
    EXPECT_EQ(state_of("elim.sound").errors(), 0U);
    EXPECT_EQ(state_of("elim.sound").restarts(), 0U);
  }
};

TEST_F(MelimFaults, CrashedElimWaitsForItsInterval) {
  beside_a_sound_one("crash");
  wait_for_log("elim.crash: has ended: Signal (11 SEGV)");
  wait_for_state("elim.crash", wire::ElimState::WAITING);
  EXPECT_EQ(numbers_["crash"], 1);
  EXPECT_EQ(state_of("elim.crash").last_error(), "has ended: Signal (11 SEGV)");
  the_others_are_well();
  EXPECT_EQ(notes("crash").size(), 1U) << "not before its interval is over";
}

TEST_F(MelimFaults, ElimThatCannotBeStartedIsReported) {
  install("sound");
  expect_index("python2");
  const std::string script = directory_ + "/script";
  std::ofstream(script) << "#!/usr/bin/no-such-python\n";
  install_file("elim.python2", script);
  send_orders();
  wait_for_log(
      "elim.python2: cannot be started: cannot execute it: No such file or directory (is the program that "
      "its first "
      "line names there?)");
  wait_for_state("elim.python2", wire::ElimState::WAITING);
  the_others_are_well();
  EXPECT_THAT(state_of("elim.python2").last_error(), HasSubstr("cannot execute it"));
}

TEST_F(MelimFaults, RestartsAtItsInterval) {
  orders_.set_restart_interval_ms(300);
  beside_a_sound_one("dies");
  wait_until("three restarts", [&] { return states_["elim.dies"].restarts() >= 3; });
  EXPECT_THAT(log(), HasSubstr("elim.dies: has ended: Exit (3)"));
  the_others_are_well();
}

TEST_F(MelimFaults, RestartsAreLimited) {
  orders_.set_restart_interval_ms(100);
  orders_.set_most_restarts(2);
  beside_a_sound_one("dies");
  wait_for_state("elim.dies", wire::ElimState::GIVEN_UP);
  EXPECT_EQ(notes("dies").size(), 3U);
  the_others_are_well();
  send_orders();
  wait_until("new orders to start it again", [&] { return notes("dies").size() > 3; });
}

TEST_F(MelimFaults, AbortValueIsNotRestarted) {
  orders_.set_restart_interval_ms(100);
  beside_a_sound_one("abort");
  wait_for_state("elim.abort", wire::ElimState::ABORTED);
  the_others_are_well();
  EXPECT_EQ(notes("abort").size(), 1U);
}

TEST_F(MelimFaults, ACommentOnStdoutAndThenTheAbortValue) {
  orders_.set_restart_interval_ms(100);
  beside_a_sound_one("fatal");
  wait_for_log(
      "elim.fatal: found \"elim.fatal:\", expected the number of indices that follow; the line: "
      "\"elim.fatal: FATAL: no "
      "configuration\"");
  wait_until("it to be started no more", [&] {
    const auto state = states_["elim.fatal"].state();
    return state == wire::ElimState::ABORTED || notes("fatal").size() > 1;
  });
  the_others_are_well();
  EXPECT_GE(state_of("elim.fatal").errors(), 1U);
}

TEST_F(MelimFaults, SilentElimKeepsRunning) {
  beside_a_sound_one("hang");
  wait_for_value("hang", 1);
  the_others_are_well();
  EXPECT_EQ(state_of("elim.hang").state(), wire::ElimState::RUNNING) << "silence is no fault";
}

TEST_F(MelimFaults, FloodingElimIsEnded) {
  beside_a_sound_one("flood");
  wait_for_log("elim.flood: writes far more than an elim may");
  wait_for_state("elim.flood", wire::ElimState::WAITING);
  the_others_are_well();
  EXPECT_FALSE(alive(noted_pid("flood")));
}

TEST_F(MelimFaults, ManyShortStringsDelayNoOtherElim) {
  beside_a_sound_one("drip");
  the_others_are_well();
}

TEST_F(MelimFaults, LineOfAGigabyteEndsItsElim) {
  beside_a_sound_one("gigabyte");
  wait_for_log(
      "elim.gigabyte: found a line of more than 65536 bytes, expected a load update string; the line: \"xxx");
  wait_for_state("elim.gigabyte", wire::ElimState::WAITING);
  the_others_are_well();
}

TEST_F(MelimFaults, ElimThatStopsInAStringIsEnded) {
  orders_.set_block_time_ms(500);
  beside_a_sound_one("half");
  wait_for_log(
      "elim.half: has stopped in the middle of a load update string; expected the rest and a newline within "
      "500 ms; "
      "it has said \"2 half 2 \"");
  wait_for_state("elim.half", wire::ElimState::WAITING);
  EXPECT_EQ(numbers_["half"], 1) << "the whole string before it counts";
  the_others_are_well();
  EXPECT_EQ(notes("half").size(), 1U) << "the block time does not shorten the restart interval";
}

TEST_F(MelimFaults, BlockTimeOfZeroEndsAnElimThatStopsInAString) {
  orders_.set_block_time_ms(0);
  beside_a_sound_one("half");
  wait_for_log("elim.half: has stopped in the middle of a load update string");
  the_others_are_well();
}

TEST_F(MelimFaults, AStringWithoutItsNewlineAtTheEnd) {
  beside_a_sound_one("unended");
  wait_for_log("elim.unended: has ended in the middle of a load update string: \"1 unended 7\"");
  the_others_are_well();
  EXPECT_EQ(told_["unended"], 0);
}

TEST_F(MelimFaults, BinaryOutputEndsItsElimAndStaysOutOfTheLog) {
  beside_a_sound_one("binary");
  wait_for_state("elim.binary", wire::ElimState::WAITING);
  the_others_are_well();
  EXPECT_GE(state_of("elim.binary").errors(), 1U);
  EXPECT_EQ(log().find_first_of("\x1b\x07\r"), std::string::npos);
}

TEST_F(MelimFaults, InvalidNumberKeepsTheOldValue) {
  beside_a_sound_one("nan");
  wait_for_log("elim.nan: found \"nan\" for nan, expected a number; the line: \"1 nan nan\"");
  the_others_are_well();
  EXPECT_EQ(numbers_["nan"], 5) << "the old value stays";
  EXPECT_EQ(log_lines_with("expected a number"), 1) << "once for each kind";
  EXPECT_EQ(state_of("elim.nan").errors(), 2U);
  EXPECT_EQ(state_of("elim.nan").state(), wire::ElimState::RUNNING);
}

TEST_F(MelimFaults, BeyondInfinitLoad) {
  beside_a_sound_one("huge");
  wait_for_log("elim.huge: found \"1e400\" for huge, expected at most 2147483648 (INFINIT_LOAD)");
  the_others_are_well();
  EXPECT_EQ(numbers_["huge"], 5);
}

TEST_F(MelimFaults, AWrongCount) {
  beside_a_sound_one("count");
  wait_for_log(
      "elim.count: found 2 words after the count 3, expected 6 (a name and a value for each index); the "
      "line: \"3 count "
      "1\"");
  wait_for_state("elim.count", wire::ElimState::WAITING);
  the_others_are_well();
  EXPECT_EQ(numbers_["count"], 5) << "no value after the refused string counts";
}

TEST_F(MelimFaults, NamesOfAnotherHost) {
  auto& known = *orders_.add_known();
  known.set_name("r1m");
  known.set_built_in(true);
  orders_.add_known()->set_name("otherhost_nio");  // the cluster has it, but not this host
  beside_a_sound_one("names");
  wait_for_value("names", 2);
  the_others_are_well();
  EXPECT_EQ(log_lines_with("found index \"nio@otherhost\", expected one that lsf.shared defines"), 1);
  EXPECT_EQ(log_lines_with("found index \"otherhost_nio\""), 1);
  EXPECT_EQ(log_lines_with("found index \"cpu\", expected the formal name r1m of the built-in index"), 1);
  EXPECT_FALSE(numbers_.contains("r1m"));
  EXPECT_FALSE(numbers_.contains("otherhost_nio"));
}

TEST_F(MelimFaults, OverridesHaveTheirMaximum) {
  auto& known = *orders_.add_known();
  known.set_name("tmp");
  known.set_built_in(true);
  known.set_most(1000);
  beside_a_sound_one("overrides");
  wait_for_value("overrides", 2);
  EXPECT_EQ(numbers_["tmp"], 20);
  EXPECT_THAT(log(), HasSubstr("found \"999999\" for tmp, expected at most 1000, its maximum"));
}

TEST_F(MelimFaults, TextOnStderrWithoutEnd) {
  beside_a_sound_one("errors");
  wait_for_log("elim.errors: stderr: \"elim.errors: cannot open the licence server\"");
  wait_for_log("elim.errors: writes far more than an elim may");
  the_others_are_well();
  EXPECT_LT(log_lines_with("stderr:"), 200);
}

TEST_F(MelimFaults, ChatterOnStderrIsCountedNotLogged) {
  beside_a_sound_one("chatter");
  wait_for_value("chatter", 2);
  the_others_are_well();
  EXPECT_LE(log_lines_with("stderr:"), 110);
}

TEST_F(MelimFaults, DaemonsGoWithTheElim) {
  orders_.add_arguments("leave");
  beside_a_sound_one("daemons");
  wait_for_log("elim.daemons: has ended: Done");
  wait_for_state("elim.daemons", wire::ElimState::WAITING);
  wait_until("child and daemon to be gone",
             [&] { return !alive(noted_pid("daemons", "child")) && !alive(noted_pid("daemons", "daemon")); });
  EXPECT_GT(noted_pid("daemons", "daemon"), 0);
  the_others_are_well();
}

TEST_F(MelimFaults, DaemonsOfALivingElimAreLeftAlone) {
  install("crash");
  beside_a_sound_one("daemons");
  wait_for_value("daemons", 1);
  wait_for_log("elim.crash: is started again in");
  the_others_are_well();
  EXPECT_TRUE(alive(noted_pid("daemons", "daemon"))) << "another elim's end is no reason";
  EXPECT_TRUE(alive(noted_pid("daemons", "child")));
}

TEST_F(MelimFaults, AKilledKeeperTakesItsElimAlong) {
  install("silent");
  beside_a_sound_one("daemons");
  wait_for_value("daemons", 1);
  wait_until("elim.silent to run", [&] { return noted_pid("silent") > 0; });
  const std::string stat = "/proc/" + std::to_string(noted_pid("daemons")) + "/stat";
  FILE* file = fopen(stat.c_str(), "r");
  ASSERT_NE(file, nullptr);
  int keeper = 0;
  ASSERT_EQ(fscanf(file, "%*d %*s %*c %d", &keeper), 1);
  fclose(file);
  ASSERT_NE(keeper, melim_);
  kill(keeper, SIGKILL);
  wait_for_log("elim.daemons: is gone without a word of how it ended");
  wait_until("all of it to be gone", [&] {
    return !alive(noted_pid("daemons")) && !alive(noted_pid("daemons", "child")) &&
           !alive(noted_pid("daemons", "daemon"));
  });
  the_others_are_well();
  EXPECT_TRUE(alive(noted_pid("silent")));
}

TEST_F(MelimFaults, IgnoresTerm) {
  beside_a_sound_one("stubborn");
  wait_for_value("stubborn", 1);
  const pid_t elim = noted_pid("stubborn");
  ASSERT_EQ(unlink((server_dir_ + "/elim.stubborn").c_str()), 0);
  wait_until("it to be killed", [&] { return !alive(elim) && !states_.contains("elim.stubborn"); });
  the_others_are_well();
}

TEST_F(MelimFaults, ClosesItsOutput) {
  beside_a_sound_one("closes");
  wait_for_value("closes", 1);
  the_others_are_well();
  EXPECT_EQ(state_of("elim.closes").state(), wire::ElimState::RUNNING);
}

// The elim itself has the time that a machine under load needs.
TEST_F(MelimFaults, DelayOfAStoppedMelimIsNoFaultOfAnElim) {
  orders_.set_block_time_ms(3000);
  install("halves");
  expect_index("more");
  beside_a_sound_one("silent");
  wait_until("a string of elim.halves", [&] { return told_["more"] > 0; });
  kill(melim_, SIGSTOP);
  wait_until("the pipe to have several strings", [&, begun = std::chrono::steady_clock::now()] {
    return std::chrono::steady_clock::now() - begun > std::chrono::seconds(4);
  });
  kill(melim_, SIGCONT);
  const int before = told_["more"];
  wait_until("more strings of elim.halves", [&] { return told_["more"] > before + 2; });
  EXPECT_EQ(state_of("elim.halves").errors(), 0U);
  the_others_are_well();
}

// The log and the elim's own file are on a small file system.
TEST_F(MelimFaults, FullDiskLosesLinesOfTheLogAlone) {
  if (mount("melim-test", notes_dir_.c_str(), "tmpfs", 0, "size=256k,mode=0777") != 0)
    GTEST_SKIP() << "needs root, to mount a small tmpfs";
  beside_a_sound_one("disk");
  wait_for_value("disk", 2);
  the_others_are_well();
  kill(noted_pid("disk"), SIGKILL);
  wait_until("its end to be seen", [&] { return states_["elim.disk"].state() == wire::ElimState::WAITING; });
  the_others_are_well();
  hang_up();
  EXPECT_TRUE(WIFEXITED(wait_for_end()));
  EXPECT_EQ(umount2(notes_dir_.c_str(), MNT_DETACH), 0);
}

TEST_F(MelimFaults, TheLogIsNeverALinkNorAnotherUsersFile) {
  const std::string target = directory_ + "/precious";
  ASSERT_EQ(symlink(target.c_str(), orders_.log_file().c_str()), 0);
  beside_a_sound_one("zero");
  wait_for_value("zero", 4);
  the_others_are_well();
  EXPECT_NE(access(target.c_str(), F_OK), 0) << "written through a link";
}

TEST_F(MelimFaults, AFifoAsTheLogDoesNotStopIt) {
  ASSERT_EQ(mkfifo(orders_.log_file().c_str(), 0600), 0);
  install("sound");
  send_orders();
  wait_until("a value", [&] { return told_["sound"] > 0; });
  ASSERT_EQ(unlink(orders_.log_file().c_str()), 0);
  the_others_are_well();
}

TEST_F(MelimFaults, AllFaultsAtOnceLeaveTheSoundElimAlone) {
  orders_.set_restart_interval_ms(500);
  orders_.set_block_time_ms(200);
  for (const char* mode :
       {"crash", "dies", "abort", "fatal", "hang", "flood", "drip", "gigabyte", "half", "unended", "binary",
        "nan", "huge", "count", "names", "errors", "chatter", "stubborn"})
    install(mode);
  orders_.add_arguments("leave");
  beside_a_sound_one("daemons");
  wait_until("the first ones to have been restarted three times",
             [&] { return states_["elim.dies"].restarts() >= 3; });
  the_others_are_well();
}

}  // namespace
}  // namespace rollcall::melim::test
