// The picture of a launch, by its numbers.
#include "pam/policy/launch_plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "tests/unit/pam/roll_driver.hpp"

namespace rollcall::pam {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kBegin = 1'800'000'000'000'000;
std::int64_t at(double seconds) { return kBegin + std::llround(seconds * 1e6); }

std::string plot(const Roll& roll, double end) {
  std::string text;
  launch_plot(roll, "mpirun <app>", at(end), [&](std::string_view part) { text += part; });
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto place = text.find(part); place != text.npos; place = text.find(part, place + 1)) ++found;
  return found;
}

class LaunchPlot : public ::testing::Test {
 protected:
  LaunchPlot() { driver.feed(event::LauncherStarted{100, kBegin}); }
  Tid task(const std::string& host, double start, double registered) {
    Registration r;
    r.host = host;
    r.start_us = at(start);
    r.outcome = pid_t{12};
    driver.feed(event::TaskRegistered{driver.next_connection++, r, "", at(registered)});
    return static_cast<Tid>(driver.roll.tasks.size() - 1);
  }
  void ends(Tid tid, double end, ExitStatus status = ExitStatus::exited(0)) {
    driver.feed(event::TaskEnded{tid, status, at(end), {}, 0});
  }
  RollDriver driver{{}};
};

// The chart is 800 pixels wide and begins at 150: ten seconds make 80 pixels of each.
TEST_F(LaunchPlot, DrawsATaskByItsTimes) {
  ends(task("n1", 1, 2), 6);
  const std::string page = plot(driver.roll, 10);
  EXPECT_THAT(page,
              HasSubstr("<line x1=\"150.0\" x2=\"230.0\" y1=\"98.0\" y2=\"98.0\" stroke=\"#c8c8c8\"/>"));
  EXPECT_THAT(page, HasSubstr("<rect x=\"309.3\" y=\"95.5\" width=\"1.4\""));
  EXPECT_THAT(page, HasSubstr("<rect class=\"done\" x=\"230.0\" y=\"96.0\" width=\"400.0\""));
  EXPECT_THAT(page, HasSubstr("task 0 (pid 12) on n1: started 1.000000 s, registered 2.000000 s, ended "
                              "6.000000 s: done</title>"));
  EXPECT_THAT(page, HasSubstr("mpirun &lt;app&gt;"));
}

TEST_F(LaunchPlot, ColoursSayByWhatATaskEnded) {
  driver.roll.rules.expected = 5;
  for (int i = 0; i < 5; ++i) task("n" + std::to_string(i), 1, 1);
  ends(0, 2, ExitStatus::exited(3));
  ends(1, 3, ExitStatus::signaled(SIGKILL));
  ends(2, 3, ExitStatus::signaled(SIGSEGV));
  ends(3, 3);
  const std::string page = plot(driver.roll, 10);
  for (const char* end : {"exit", "killed after a failure", "signal", "done", "lost"})
    EXPECT_EQ(count(page, "<rect class=\"" + std::string(end) + "\""), 1u) << end;
  EXPECT_THAT(page, HasSubstr(": Signal (11 SEGV)</title>"));
}

// A host whose clock is wrong by a day must not squeeze the others into one pixel.
TEST_F(LaunchPlot, TimesOfAWrongClockStayAtTheEdge) {
  ends(task("n1", -86400, 1), 86400);
  EXPECT_THAT(plot(driver.roll, 10),
              HasSubstr("<rect class=\"done\" x=\"150.0\" y=\"96.0\" width=\"800.0\""));
}

TEST_F(LaunchPlot, ManyTasksAreARowForEachHost) {
  for (int host = 0; host < 30; ++host)
    for (int i = 0; i < 128; ++i) task("n" + std::to_string(host), 1 + 0.01 * i, 2 + 0.01 * host);
  for (Tid tid = 0; tid < 30 * 128; ++tid) ends(tid, 5, ExitStatus::exited(tid == 200 ? 3 : 0));
  const std::string page = plot(driver.roll, 10);
  EXPECT_EQ(count(page, "<title>"), 30u);
  EXPECT_THAT(page,
              HasSubstr("n1: 128 tasks; started 1.000000 s to 2.270000 s, registered 2.010000 s to 2.010000 "
                        "s, ended 5.000000 s to 5.000000 s: 127 done, 1 exit</title>"));
  EXPECT_EQ(count(page, "<rect class=\"exit\""), 1u);
}

TEST_F(LaunchPlot, OfVeryManyHostsTheStragglersAreDrawn) {
  for (int host = 0; host < 2500; ++host)
    ends(task("n" + std::to_string(host), 1, host == 7 ? 9 : host < 500 ? 2 : 3), 9);
  const std::string page = plot(driver.roll, 10);
  EXPECT_EQ(count(page, "<title>"), kMostHostRows);
  EXPECT_THAT(page, HasSubstr(">n7<"));
  EXPECT_THAT(page, Not(HasSubstr(">n499<")));
  EXPECT_THAT(page, HasSubstr("the 2000 hosts whose last task registered last"));
}

TEST_F(LaunchPlot, WithoutATaskThePageIsWhole) {
  const std::string page = plot(driver.roll, 0);
  EXPECT_TRUE(page.starts_with("<svg "));
  EXPECT_TRUE(page.ends_with("</svg>\n"));
  EXPECT_THAT(page, HasSubstr("0 tasks on 0 hosts"));
}

// Host names and command lines come from other hosts.
TEST_F(LaunchPlot, TextsCannotBreakThePage) {
  driver.command = "x";
  task("n1</text><script>\xff", 1, 1);
  const std::string page = plot(driver.roll, 10);
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_EQ(page.find('\xff'), page.npos);
}

}  // namespace
}  // namespace rollcall::pam
