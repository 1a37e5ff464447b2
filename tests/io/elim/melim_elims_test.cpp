// MELIM with correct elims in sh, Perl, Python and C: what they are started with, and when.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/io/elim/melim_stage.hpp"

namespace rollcall::melim::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class MelimElims : public MelimStage {};

TEST_F(MelimElims, RunsElimsInFourLanguages) {
  install("sound");
  install_file("elim.perl", ROLLCALL_FAKES "/elim.perl");
  install_file("elim.python", ROLLCALL_FAKES "/elim.python");
  install_file("elim.c_example", ROLLCALL_EXAMPLE_C);
  for (const char* index : {"perl", "python", "myrsc"}) expect_index(index);
  expect_index("perl_word", true);
  orders_.add_environment("MYRSC_DIRECTORY=" + server_dir_);
  send_orders();
  wait_for_value("perl", 2000);
  EXPECT_EQ(words_["perl_word"], "w2000");
  wait_for_value("myrsc", 4);
  wait_until("a value of elim.python", [&] { return numbers_["python"] > 0.01F; });
  wait_for_log("elim.python: stderr: \"elim.python: starting\"");
  expect_neighbour_is_heard();
}

TEST_F(MelimElims, RunsTheDocumentedExample) {
  install_file("elim.sh", ROLLCALL_EXAMPLES "/elim.sh");
  expect_index("myrsc");
  orders_.add_environment("MYRSC_DIRECTORY=" + server_dir_);
  orders_.add_environment("MYRSC_SECONDS=0.05");
  send_orders();
  wait_for_value("myrsc", 1);
  std::ofstream(server_dir_ + "/another");
  wait_for_value("myrsc", 2);
}

TEST_F(MelimElims, ItsHeaderAbortsWhereItsResourceIsNotExpected) {
  install_file("elim.sh", ROLLCALL_EXAMPLES "/elim.sh");
  install_file("elim.c_example", ROLLCALL_EXAMPLE_C);
  expect_index("myrsc2");
  orders_.set_restart_interval_ms(100);
  orders_.set_abort_value(7);
  send_orders();
  wait_for_state("elim.sh", wire::ElimState::ABORTED);
  wait_for_state("elim.c_example", wire::ElimState::ABORTED);
  EXPECT_EQ(state_of("elim.sh").restarts(), 0U);
  expect_index("myrsc");
  send_orders();
  wait_until("a value of myrsc", [&] { return told_["myrsc"] > 0; });
}

TEST_F(MelimElims, StartsElimsWithTheDocumentedEnvironment) {
  install("environment");
  orders_.set_master(true);
  orders_.add_resources("nio");
  orders_.add_arguments("-v");
  orders_.add_arguments("two words");
  orders_.add_environment("LSF_ENVDIR=/conf");
  orders_.add_environment("LSF_SERVERDIR=/etc dir");
  send_orders();
  wait_for_value("environment", 1);
  const auto lines = notes("environment.all");
  for (const char* line :
       {"LSF_MASTER=Y", "LSF_RESOURCES=environment nio", "ELIM_ABORT_VALUE=99", "LSF_ENVDIR=/conf",
        "LSF_SERVERDIR=/etc dir", "ARGUMENTS -v two words", "STDIN /dev/null"})
    EXPECT_THAT(lines, Contains(line));
  EXPECT_THAT(notes("environment.fds"), UnorderedElementsAre("0", "1", "2", "10", "11"))
      << "10 and 11 are the shell's own: its script, its output while find has another";
  EXPECT_THAT(lines, Contains(MatchesRegex("SigBlk:\\s0+")));
  EXPECT_THAT(lines, Contains(MatchesRegex("SigIgn:\\s0+")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("LSF_ELIM_DEBUG"))));
  const std::string pid = std::to_string(noted_pid("environment"));
  EXPECT_THAT(lines, Contains("GROUP " + pid + " " + pid)) << "a process group of its own";
}

TEST_F(MelimElims, AnElimHasTheDescriptorLimitThatLimGaveToMelim) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GT(before.rlim_max, 333U);
  const rlimit lower{333, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
  const std::string source = directory_ + "/limit.sh";
  std::ofstream(source) << "#!/bin/sh\necho 1 limit $(ulimit -n)\nexec sleep 1000\n";
  install_file("elim.limit", source);
  expect_index("limit");
  send_orders();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  wait_for_value("limit", 333);
}

TEST_F(MelimElims, AnotherMasterStartsThemAnewAtOnce) {
  install("environment");
  send_orders();
  wait_for_value("environment", 1);
  EXPECT_THAT(notes("environment.all"), Contains("LSF_MASTER=N"));
  const pid_t first = noted_pid("environment");
  send_orders();
  orders_.set_master(true);
  send_orders();
  wait_until("the elim to be started anew, and to speak", [&] { return told_["environment"] >= 2; });
  EXPECT_FALSE(alive(first));
  EXPECT_THAT(notes("environment.all"), Contains("LSF_MASTER=Y"));
  EXPECT_EQ(notes("environment").size(), 2U) << "unchanged orders restart no elim";
}

TEST_F(MelimElims, RunsNoElimWithoutResources) {
  install("sound");
  send_orders();
  wait_until("a value", [&] { return told_["sound"] > 0; });
  orders_.clear_resources();
  send_orders();
  wait_until("no elim to be left", [&] { return states_.empty(); });
  EXPECT_FALSE(alive(noted_pid("sound")));
}

TEST_F(MelimElims, ReportsComeAtThePollIntervalAndOnlyWhereThereIsNews) {
  install("zero");
  expect_index("sound");
  orders_.set_poll_interval_ms(300);
  send_orders();
  wait_for_value("zero", 4);
  const auto before = reports_.size();
  // Values of an elim that reports ten times a second are sent at the poll interval, the newest only.
  install_file("elim.sound", ROLLCALL_FAKES "/liar");
  wait_until("some values of elim.sound", [&] { return numbers_["sound"] >= 10; });
  EXPECT_LT(told_["sound"], static_cast<int>(numbers_["sound"]));
  EXPECT_GT(reports_.size(), before);
  for (std::size_t i = before; i < reports_.size(); ++i)
    for (const auto& value : reports_[i].values())
      EXPECT_EQ(value.name(), "sound") << "elim.zero has reported no new value";
}

TEST_F(MelimElims, SeveralStringsInOneReadAndAStringOfZeroPairs) {
  install("burst");
  install("zero");
  send_orders();
  wait_for_value("burst", 4);
  wait_for_value("zero", 4);
  EXPECT_EQ(state_of("elim.zero").errors(), 0U);
}

TEST_F(MelimElims, AStringInSlowPiecesIsOneString) {
  install("halves");
  expect_index("more");
  send_orders();
  wait_until("three strings", [&] { return told_["more"] >= 3; });
  EXPECT_EQ(state_of("elim.halves").state(), wire::ElimState::RUNNING);
}

TEST_F(MelimElims, ReportsStringResources) {
  install("words");
  orders_.mutable_known(0)->set_type(2);
  send_orders();
  wait_until("a word", [&] { return words_["words"] == "not_ok"; });
}

TEST_F(MelimElims, AFileThatIsDroppedInStartsAndOneThatIsTakenOutEnds) {
  expect_index("sound");
  send_orders();
  wait_for_log("orders: master N, 1 resources expected");
  install_file("elim.sound", ROLLCALL_FAKES "/liar");
  wait_until("a value of the new elim", [&] { return told_["sound"] > 0; });
  const pid_t elim = noted_pid("sound");
  std::filesystem::remove(server_dir_ + "/elim.sound");
  wait_until("the elim to end", [&] { return !alive(elim) && states_.empty(); });
}

// The next check by the clock is 60 s away: only inotify is in time.
TEST_F(MelimElims, AServerDirectoryThatIsReplacedIsNoticed) {
  expect_index("sound");
  expect_index("count");
  install("count");
  send_orders();
  wait_for_state("elim.count", wire::ElimState::WAITING);
  install_file("elim.sound", ROLLCALL_FAKES "/liar");
  wait_until("a value from the first directory", [&] { return told_["sound"] > 0; });
  std::filesystem::rename(server_dir_, server_dir_ + ".old");
  wait_until("the elims to end with their directory", [&] { return states_.empty(); });
  std::filesystem::create_directory(server_dir_ + ".new");
  chmod((server_dir_ + ".new").c_str(), 0755);
  std::filesystem::copy(server_dir_ + ".old/elim.sound", server_dir_ + ".new/elim.sound");
  const int before = told_["sound"];
  std::filesystem::rename(server_dir_ + ".new", server_dir_);
  wait_until("a value from the second directory", [&] { return told_["sound"] > before; });
  std::filesystem::remove(server_dir_ + "/elim.sound");
  wait_until("the end of what was taken out of it", [&] { return states_.empty(); });
}

TEST_F(MelimElims, ALinkThatLeadsToAnotherServerDirectoryIsNoticed) {
  expect_index("sound");
  const std::string current = directory_ + "/current", next = directory_ + "/next",
                    other = directory_ + "/etc2";
  std::filesystem::create_directory_symlink(server_dir_, current);
  std::filesystem::create_directory(other);
  chmod(other.c_str(), 0755);
  install_file("elim.sound", ROLLCALL_FAKES "/liar");
  std::filesystem::rename(server_dir_ + "/elim.sound", other + "/elim.sound");
  orders_.set_server_dir(current);
  send_orders();
  wait_for_log("orders: master N");
  std::filesystem::create_directory_symlink(other, next);
  std::filesystem::rename(next, current);
  wait_until("a value from where the link leads now", [&] { return told_["sound"] > 0; });
}

TEST_F(MelimElims, AMendedFileIsStartedAtOnce) {
  install("count");
  send_orders();
  wait_for_state("elim.count", wire::ElimState::WAITING);
  std::ofstream(server_dir_ + "/elim.count") << "#!/bin/sh\necho 1 count 77\nexec sleep 1000\n";
  wait_for_value("count", 77);
}

TEST_F(MelimElims, RunsOnlySafeFilesNamedElim) {
  for (const char* name : {"elim_backup", "elimx", "xelim.sound", "elim.notexecutable", "elim.open",
                           "elim.sound", "elim.user", "elim", "elim.link"})
    install_file(name, ROLLCALL_FAKES "/liar");
  expect_index("sound");
  chmod((server_dir_ + "/elim.notexecutable").c_str(), 0644);
  chmod((server_dir_ + "/elim.open").c_str(), 0757);
  ASSERT_EQ(unlink((server_dir_ + "/elim.link").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (server_dir_ + "/elim.link").c_str()), 0);
  std::filesystem::create_directory(server_dir_ + "/elim.directory");
  if (geteuid() == 0) {
    install_file("elim.strangers", ROLLCALL_FAKES "/liar");
    ASSERT_EQ(chown((server_dir_ + "/elim.strangers").c_str(), 12345, 0), 0);
  }
  for (const char* mode : {"user", "elim"}) std::ofstream(notes_dir_ + "/" + mode + ".says") << "0\n";
  send_orders();
  wait_until("a value", [&] { return told_["sound"] > 0; });
  wait_for_state("elim.user", wire::ElimState::RUNNING);
  wait_for_state("elim", wire::ElimState::RUNNING);
  wait_until("three elims to have been started", [&] { return log_lines_with(": started, pid") >= 3; });
  EXPECT_EQ(log_lines_with(": started, pid"), 3) << log();
  EXPECT_THAT(log(), HasSubstr("elim.user: this name is reserved for backward compatibility"));
  EXPECT_THAT(
      log(),
      HasSubstr(
          "elim.open: found it writable by everybody, expected by its owner (chmod o-w); it is not run"));
  EXPECT_THAT(log(), HasSubstr("elim.notexecutable: found a file that is not executable"));
  EXPECT_THAT(log(), Not(HasSubstr("elim_backup")));
  EXPECT_EQ(state_of("elim.open").state(), wire::ElimState::GIVEN_UP);
  EXPECT_FALSE(states_.contains("elim.notexecutable")) << "another file is no elim";
  if (geteuid() == 0) {
    EXPECT_THAT(log(), HasSubstr("elim.strangers: found owner 12345, expected root or 0"));
  }
}

TEST_F(MelimElims, ADirectoryThatOthersCanWriteIsNotRun) {
  install("sound");
  chmod(server_dir_.c_str(), 0777);
  send_orders();
  wait_for_log("found it writable by everybody, expected by its owner (chmod o-w); no elim is run");
  EXPECT_EQ(log_lines_with("started"), 0);
}

TEST_F(MelimElims, DebugLogsEveryString) {
  install("words");
  install("environment");
  orders_.set_debug(true);
  send_orders();
  wait_for_log("elim.words: received \"1 words not_ok\"");
  wait_for_value("environment", 1);
  EXPECT_THAT(notes("environment.all"), Contains("LSF_ELIM_DEBUG=y"));
}

TEST_F(MelimElims, RunsElimsAsTheAdministrator) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to start MELIM as somebody else";
  constexpr uid_t kSomebody = 12345;
  install("environment");
  install_file("elim.own", ROLLCALL_FAKES "/liar");
  ASSERT_EQ(chown((server_dir_ + "/elim.own").c_str(), kSomebody, kSomebody), 0);
  std::ofstream(notes_dir_ + "/own.says") << "1 own 1\n";
  expect_index("own");
  start_melim(kSomebody);
  send_orders();
  wait_for_value("environment", 1);
  wait_for_value("own", 1);
  struct stat facts {};
  ASSERT_EQ(stat((notes_dir_ + "/environment.all").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, kSomebody);
}

TEST_F(MelimElims, WhenLimIsGoneAllElimsEnd) {
  install("sound");
  install("stubborn");
  install("daemons");
  send_orders();
  for (const char* index : {"sound", "stubborn", "daemons"})
    wait_until(index, [&] { return told_[index] > 0; });
  hang_up();
  const int status = wait_for_end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (const auto& [mode, what] : {std::pair("sound", "pid"),
                                   {"stubborn", "pid"},
                                   {"daemons", "pid"},
                                   {"daemons", "child"},
                                   {"daemons", "daemon"}})
    EXPECT_FALSE(alive(noted_pid(mode, what))) << mode << " " << what;
  EXPECT_THAT(log(), HasSubstr("LIM is gone: ending 3 elims"));
}

TEST_F(MelimElims, TermEndsMelimAndItsElims) {
  install("sound");
  send_orders();
  wait_until("a value", [&] { return told_["sound"] > 0; });
  kill(melim_, SIGTERM);
  const int status = wait_for_end();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_FALSE(alive(noted_pid("sound")));
}

TEST_F(MelimElims, AKilledMelimLeavesNothingBehind) {
  install("sound");
  install("stubborn");
  install("daemons");
  install("silent");
  send_orders();
  for (const char* index : {"sound", "stubborn", "daemons"})
    wait_until(index, [&] { return told_[index] > 0; });
  kill(melim_, SIGKILL);
  wait_for_end();
  wait_until("every elim, its child and its daemon to be gone", [&] {
    return !alive(noted_pid("sound")) && !alive(noted_pid("stubborn")) && !alive(noted_pid("silent")) &&
           !alive(noted_pid("daemons")) && !alive(noted_pid("daemons", "child")) &&
           !alive(noted_pid("daemons", "daemon"));
  });
}

TEST_F(MelimElims, ALimThatDoesNotListenCostsNoMemory) {
  says("chatterbox", [] {
    std::string lines;
    for (int i = 0; i < 20'000; ++i) lines += "1 chatterbox " + std::to_string(i) + "\n";
    return lines;
  }());
  install("sound");
  orders_.set_poll_interval_ms(1);
  send_orders();
  wait_for_log("elim.chatterbox: started");
  // LIM does not read: the newest values wait.
  wait_until("elim.sound to have spoken", [&] { return !notes("sound").empty(); });
  wait_for_value("chatterbox", 19'999);
  expect_neighbour_is_heard();
}

}  // namespace
}  // namespace rollcall::melim::test
