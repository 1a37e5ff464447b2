// The values of MELIM: lines, the merge, which files, environments, limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "elim/policy/load/output_limits.hpp"
#include "elim/policy/melim/elim_files.hpp"
#include "elim/policy/melim/elim_merge.hpp"
#include "elim/policy/melim/elim_orders.hpp"
#include "elim/policy/melim/line_cutter.hpp"
#include "elim/policy/melim/said_once.hpp"

namespace rollcall::melim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using Lines = std::vector<std::string>;

Lines cut(LineCutter& cutter, std::string_view bytes) {
  Lines lines;
  cutter.feed(bytes, [&](std::string_view line, LineCutter::Kind kind) {
    lines.push_back(std::string(line) + (kind == LineCutter::Kind::too_long ? "..." : ""));
  });
  return lines;
}

TEST(LineCutter, GivesTheSameLinesHoweverTheyAreSplit) {
  LineCutter cutter(100);
  EXPECT_THAT(cut(cutter, "1 ni"), IsEmpty());
  EXPECT_TRUE(cutter.in_line());
  EXPECT_THAT(cut(cutter, "o 5\n0 \n\n2 "), ElementsAre("1 nio 5", "0 ", ""));
  EXPECT_EQ(cutter.rest(), "2 ");
  EXPECT_THAT(cut(cutter, "\n"), ElementsAre("2 "));
  EXPECT_FALSE(cutter.in_line());
}

TEST(LineCutter, KeepsNoMoreThanTheLimitOfALineOfAGigabyte) {
  LineCutter cutter(1000);
  const std::string piece(1 << 20, 'x');
  Lines lines = cut(cutter, piece);
  EXPECT_THAT(lines, ElementsAre(std::string(1000, 'x') + "..."));
  for (int i = 0; i < 1023; ++i) {
    EXPECT_THAT(cut(cutter, piece), IsEmpty());
    ASSERT_EQ(cutter.rest().size(), 0U);
  }
  EXPECT_TRUE(cutter.in_line());
  EXPECT_THAT(cut(cutter, "end\nnext\n"), ElementsAre("next"));
}

TEST(LineCutter, KeepsALineOfTheLimitAndCutsALongerOne) {
  LineCutter cutter(3);
  EXPECT_THAT(cut(cutter, "abc\nabcd\nab"), ElementsAre("abc", "abc..."));
  EXPECT_THAT(cut(cutter, "cd"), ElementsAre("abc..."));
  EXPECT_THAT(cut(cutter, "e\nx\n"), ElementsAre("x"));
  cut(cutter, "ab");
  cutter.clear();
  EXPECT_THAT(cut(cutter, "c\n"), ElementsAre("c"));
}

TEST(ElimMerge, TheNewestValueWinsAndIsReportedOnce) {
  ElimMerge merge;
  merge.put({"nio", 1.0F});
  merge.put({"console", std::string("b")});
  merge.put({"nio", 2.0F});
  EXPECT_THAT(merge.take(1000), ElementsAre(Reading{"console", std::string("b")}, Reading{"nio", 2.0F}));
  EXPECT_TRUE(merge.empty());
  EXPECT_THAT(merge.take(1000), IsEmpty());
  merge.put({"nio", 2.0F});
  EXPECT_THAT(merge.take(1000), ElementsAre(Reading{"nio", 2.0F})) << "told again, unchanged";
}

TEST(ElimMerge, AReportIsBounded) {
  ElimMerge merge;
  for (const char* name : {"a", "b", "c"}) merge.put({name, std::string(100, 'x')});
  EXPECT_EQ(merge.take(250).size(), 2U);
  EXPECT_EQ(merge.take(1).size(), 1U) << "one value at the least";
  EXPECT_TRUE(merge.empty());
}

TEST(ElimFiles, AreNamedElimOrElimDotAnything) {
  for (const char* name : {"elim", "elim.scratch", "elim.user", "elim.a.b", "elim.backup"})
    EXPECT_TRUE(elim_name(name)) << name;
  for (const char* name : {"elim.", "elim_backup", "elimx", "xelim.a", "Elim.a", "", "melim", "elims"})
    EXPECT_FALSE(elim_name(name)) << name;
}

constexpr Runner kAdministrator{500, 600};

FileVerdict judge(FileFacts facts, Runner runner = kAdministrator, const char* name = "elim.x") {
  return judge_elim(name, facts, runner);
}

TEST(ElimFiles, RunWhereTheirOwnersAreTrusted) {
  using Kind = FileVerdict::Kind;
  EXPECT_EQ(judge({FileType::regular, 0755, 0, 0}).kind, Kind::run);
  EXPECT_EQ(judge({FileType::regular, 0700, 500, 7}).kind, Kind::run);
  EXPECT_EQ(judge({FileType::regular, 0775, 500, 600}).kind, Kind::run)
      << "a umask of 002 and a group of one's own";
  EXPECT_EQ(judge({FileType::regular, 0775, 0, 0}).kind, Kind::run);
  EXPECT_EQ(judge({FileType::regular, 0755, 501, 600}).text,
            "found owner 501, expected root or 500, which runs it");
  EXPECT_EQ(judge({FileType::regular, 0755, 500, 600}, {0, 0}).kind, Kind::refuse)
      << "root does not run a file of another user";
  EXPECT_EQ(judge({FileType::regular, 0757, 0, 0}).text,
            "found it writable by everybody, expected by its owner (chmod o-w)");
  EXPECT_EQ(judge({FileType::regular, 0775, 0, 50}).text,
            "found it writable by group 50, expected by its owner (chmod g-w)");
}

TEST(ElimFiles, SkipDirectoriesAndFilesThatAreNotExecutable) {
  using Kind = FileVerdict::Kind;
  EXPECT_EQ(judge({FileType::directory, 0755, 0, 0}).kind, Kind::pass_over);
  EXPECT_EQ(judge({FileType::regular, 0644, 0, 0}).kind, Kind::pass_over);
  EXPECT_EQ(judge({FileType::other, 0777, 9, 9}).kind, Kind::pass_over);
  EXPECT_EQ(judge({}).kind, Kind::pass_over);
}

TEST(ElimFiles, AnEditorsCopyDoesNotRun) {
  const FileVerdict verdict = judge({FileType::regular, 0755, 0, 0}, kAdministrator, "elim.x~");
  EXPECT_EQ(verdict.kind, FileVerdict::Kind::pass_over);
  EXPECT_THAT(verdict.text, HasSubstr("editor's copy"));
}

TEST(ElimFiles, CarriageReturnAfterTheInterpreterIsTold) {
  EXPECT_TRUE(is_dos_line("#!/bin/sh\r\necho\r\n"));
  for (const char* text : {"#!/bin/sh\necho\r\n", "#!/bin/sh\r", "#!", "\r\n", "#\r\n", ""})
    EXPECT_FALSE(is_dos_line(text)) << text;
  const FileVerdict verdict = judge({FileType::regular, 0755, 0, 0, true});
  EXPECT_EQ(verdict.kind, FileVerdict::Kind::run) << "perl -w takes it";
  EXPECT_THAT(verdict.text, HasSubstr("carriage return"));
}

TEST(ElimFiles, ElimUserRunsWithAWarning) {
  const FileVerdict verdict = judge({FileType::regular, 0755, 0, 0}, kAdministrator, "elim.user");
  EXPECT_EQ(verdict.kind, FileVerdict::Kind::run);
  EXPECT_THAT(verdict.text, HasSubstr("reserved"));
}

TEST(ElimFiles, TheDirectoryIsSafeToo) {
  EXPECT_EQ(unsafe_directory({FileType::directory, 0755, 0, 0}, kAdministrator), "");
  EXPECT_THAT(unsafe_directory({FileType::directory, 01777, 0, 0}, kAdministrator),
              HasSubstr("writable by everybody"));
  EXPECT_THAT(unsafe_directory({FileType::directory, 0755, 9, 0}, kAdministrator),
              HasSubstr("found owner 9"));
  EXPECT_THAT(unsafe_directory({}, kAdministrator), HasSubstr("expected LSF_SERVERDIR"));
}

ElimOrders orders() {
  ElimOrders orders;
  orders.resources = {"nio", "tmp2"};
  orders.environment = {"LSF_ENVDIR=/conf"};
  return orders;
}

TEST(ElimEnvironment, HasTheVariablesOfTheManual) {
  const Lines words =
      elim_environment({"PATH=/bin", "LSF_MASTER=old", "LSF_ENVDIR=/old", "noequals", "=x"}, orders());
  EXPECT_THAT(words, ElementsAre("ELIM_ABORT_VALUE=99", "LSF_ENVDIR=/conf", "LSF_MASTER=N",
                                 "LSF_RESOURCES=nio tmp2", "PATH=/bin"));
}

TEST(ElimEnvironment, CommandsOfLsfComeFirstInPath) {
  ElimOrders asked = orders();
  asked.environment = {"LSF_BINDIR=/lsf/bin", "LSF_SERVERDIR=/lsf/etc"};
  EXPECT_THAT(elim_environment({"PATH=/site:/bin"}, asked), Contains("PATH=/lsf/bin:/lsf/etc:/site:/bin"));
  EXPECT_THAT(elim_environment({}, asked), Contains(StartsWith("PATH=/lsf/bin:/lsf/etc:/usr/local/bin:")));
}

TEST(ElimEnvironment, LogDirectoryIsOneThatTheAccountCanWrite) {
  ElimOrders asked = orders();
  asked.environment = {"LSF_LOGDIR=/var/log/lsf"};
  EXPECT_THAT(elim_environment({}, asked), Contains("LSF_LOGDIR=/var/log/lsf"));
  asked.log_dir = "/var/log/lsf/elims.hosta";
  EXPECT_THAT(elim_environment({}, asked), Contains("LSF_LOGDIR=/var/log/lsf/elims.hosta"));
  EXPECT_FALSE(same_start(orders(), asked));
}

TEST(ElimEnvironment, TellsMasterDebugAndAbortValue) {
  ElimOrders asked = orders();
  asked.master = true;
  asked.debug = true;
  asked.rules.abort_value = 7;
  const Lines words = elim_environment({}, asked);
  EXPECT_THAT(words, Contains("LSF_MASTER=Y"));
  EXPECT_THAT(words, Contains("LSF_ELIM_DEBUG=y"));
  EXPECT_THAT(words, Contains("ELIM_ABORT_VALUE=7"));
  EXPECT_THAT(elim_environment({"LSF_ELIM_DEBUG=level2"}, asked), Contains("LSF_ELIM_DEBUG=level2"));
  EXPECT_THAT(elim_environment({}, orders()), Not(Contains(StartsWith("LSF_ELIM_DEBUG"))));
}

TEST(ElimOrders, ChangeOfTheEnvironmentRestartsElims) {
  const ElimOrders before = orders();
  EXPECT_TRUE(same_start(before, orders()));
  ElimOrders now = orders();
  now.poll_interval = seconds(1);
  now.log_file = "/elsewhere";
  now.rules.restart_interval = seconds(1);
  EXPECT_TRUE(same_start(before, now));
  now = orders();
  now.master = true;
  EXPECT_FALSE(same_start(before, now));
  now = orders();
  now.resources.push_back("x");
  EXPECT_FALSE(same_start(before, now));
  now = orders();
  now.arguments = {"-v"};
  EXPECT_FALSE(same_start(before, now));
}

TEST(FloodGate, LimitsHowMuchAnElimMayWrite) {
  load::FloodGate gate;
  TimePoint now{seconds(100)};
  EXPECT_TRUE(gate.open(now));
  EXPECT_TRUE(gate.took(100, now));
  EXPECT_FALSE(gate.open(now + milliseconds(49)));
  EXPECT_TRUE(gate.open(now + load::kReadPause));
  EXPECT_TRUE(gate.took(load::kFloodBytes - 100, now));
  EXPECT_FALSE(gate.took(1, now)) << "a flood";
  EXPECT_TRUE(gate.took(1, now + load::kFloodWindow));
}

TEST(LineBudget, ABurstThenOneAtATime) {
  load::LineBudget budget(3, seconds(10));
  TimePoint now{seconds(5)};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.take(now));
  EXPECT_FALSE(budget.take(now));
  EXPECT_FALSE(budget.take(now + seconds(4)));
  EXPECT_EQ(budget.left_out(), 2U);
  EXPECT_EQ(budget.left_out(), 0U);
  EXPECT_TRUE(budget.take(now + seconds(10)));
  EXPECT_FALSE(budget.take(now + seconds(10)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(budget.take(now + seconds(1000)));
  EXPECT_FALSE(budget.take(now + seconds(1000)));
}

TEST(SaidOnce, EachKindOfFaultOncePerIndexAndNotForEver) {
  SaidOnce said;
  EXPECT_TRUE(said.first({FaultKind::unknown_name, "a", ""}));
  EXPECT_FALSE(said.first({FaultKind::unknown_name, "a", "another text"}));
  EXPECT_TRUE(said.first({FaultKind::unknown_name, "b", ""}));
  EXPECT_TRUE(said.first({FaultKind::not_a_number, "a", ""}));
  std::size_t told = 3;
  for (int i = 0; i < 1000; ++i)
    if (said.first({FaultKind::unknown_name, "x" + std::to_string(i), ""})) ++told;
  EXPECT_EQ(told, kFaultsRemembered);
}

}  // namespace
}  // namespace rollcall::melim
