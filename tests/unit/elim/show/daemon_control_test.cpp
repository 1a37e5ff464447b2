// The rules of lsf_daemons: pid files, verdicts, the environment of a daemon, and which owners of a file root trusts.
#include "elim/policy/show/daemon_control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rollcall::elim::show {
namespace {

using testing::ElementsAre;
using Port = DaemonSight::Port;
using State = Verdict::State;

const std::string kBoot = "6f0c0c1e-2a1b-4c3d-8e5f-0123456789ab";
const DaemonKind kLim{"lim", "LSF_LIM_PORT"};

// --- pid files

TEST(PidFile, IsReadAsItWasWritten) {
  const ProcessMark mark{4711, 123456789, kBoot};
  const std::string text = pid_file_text(mark);
  EXPECT_EQ(text, "4711\nstart=123456789 boot=" + kBoot + "\n") << "one number: the pid";
  const auto read = parse_pid_file(text, "p");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, mark);
}

TEST(PidFile, OfAnOlderReleaseIsRead) {
  const auto read = parse_pid_file("4711\n99 " + kBoot + "\n", "p");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(*read, (ProcessMark{4711, 99, kBoot}));
}

TEST(PidFile, OfAnotherFormIsRefused) {
  const std::string good = pid_file_text({4711, 99, kBoot});
  const std::string odd[] = {"",
                             "4711\n",
                             "4711",
                             good + "\n",
                             good + "x",
                             good.substr(0, good.size() - 1),
                             "0\n99 " + kBoot + "\n",
                             "1\n99 " + kBoot + "\n",
                             "-4711\n99 " + kBoot + "\n",
                             "+4711\n99 " + kBoot + "\n",
                             " 4711\n99 " + kBoot + "\n",
                             "99999999999\n99 " + kBoot + "\n",
                             "4711\n-1 " + kBoot + "\n",
                             "4711\n99999999999999999999999 " + kBoot + "\n",
                             "4711\n99  " + kBoot + "\n",
                             "4711\n99 " + kBoot.substr(1) + "\n",
                             "4711\n99 " + std::string(36, 'G') + "\n",
                             std::string("4711\0\n99 ", 9) + kBoot + "\n"};
  for (const auto& text : odd) EXPECT_FALSE(parse_pid_file(text, "p")) << text;
  EXPECT_EQ(parse_pid_file("x", "/l/lim.n1.pid").error().text,
            "/l/lim.n1.pid: found something else, expected a daemon's pid, start and boot");
}

TEST(Daemon, BelongsToTheDirectoryItWasStartedWith) {
  using namespace std::string_literals;
  EXPECT_EQ(started_with_directory("/opt/etc/lim\0-d\0/opt/conf\0"s), "/opt/conf");
  EXPECT_EQ(started_with_directory("/usr/bin/python3\0/x/lim\0-d\0/a b/conf"s), "/a b/conf");
  for (const auto& none : {""s, "lim\0"s, "lim\0-d"s, "lim\0-d\0"s, "-dir\0/x\0"s, "\0\0\0"s})
    EXPECT_EQ(started_with_directory(none), "");
}

TEST(PathMark, DiffersByPathAndIsTheSameInEveryRelease) {
  EXPECT_EQ(path_mark(""), "cbf29ce484222325");
  EXPECT_EQ(path_mark("a"), "af63dc4c8601ec8c");
  EXPECT_NE(path_mark("/opt/a/conf"), path_mark("/opt/b/conf"));
}

TEST(PidFile, NamesItsHost) {
  EXPECT_EQ(host_of_pid_file(kLim, "lim.n1.site.com.pid"), "n1.site.com");
  for (const char* other : {"lim..pid", "lim.pid", "res.n1.pid", "lim.log.n1", "lim.n1.pid.lock-0", ""})
    EXPECT_EQ(host_of_pid_file(kLim, other), "") << other;
}

// --- verdicts

DaemonSight alive(Port port) { return {4711, "2026-11-21 12:00:00", 0, port, 7869, ""}; }
DaemonSight absent(Port port, int stale = 0) { return {0, "", stale, port, 7869, ""}; }

TEST(Verdict, ADaemonStartedUnderAnOlderHostNameAils) {
  DaemonSight sight = alive(Port::ours);
  sight.older_name = "before";
  const Verdict verdict = judge(kLim, sight);
  EXPECT_EQ(verdict.state, State::ailing);
  EXPECT_EQ(verdict.line,
            "lim: running, pid 4711, since 2026-11-21 12:00:00; started when this host was called before: "
            "\"lsf_daemons restart\" starts it under the name of now");
}

TEST(Verdict, HasALineForEverySight) {
  const struct {
    DaemonSight sight;
    State state;
    std::string line;
  } rows[] = {
      {alive(Port::ours), State::running, "lim: running, pid 4711, since 2026-11-21 12:00:00"},
      {alive(Port::unasked), State::running, "lim: running, pid 4711, since 2026-11-21 12:00:00"},
      {alive(Port::closed), State::ailing,
       "lim: running, pid 4711, since 2026-11-21 12:00:00; but nothing listens on port 7869"},
      {alive(Port::mute), State::ailing,
       "lim: running, pid 4711, since 2026-11-21 12:00:00; but nothing is said on port 7869"},
      {alive(Port::stranger), State::ailing,
       "lim: running, pid 4711, since 2026-11-21 12:00:00; but what answers on port 7869 does not hold this "
       "cluster's key"},
      {absent(Port::closed), State::stopped, "lim: not running"},
      {absent(Port::unasked), State::stopped, "lim: not running"},
      {absent(Port::closed, 4711), State::ailing,
       "lim: not running; it ended without lsf_daemons (it was pid 4711)"},
      {absent(Port::stranger), State::ailing,
       "lim: not running; what answers on port 7869 does not hold this cluster's key"},
      {absent(Port::mute, 4711), State::ailing, "lim: not running; what listens on port 7869 says nothing"},
      {absent(Port::ours, 4711), State::running,
       "lim: running, answers on port 7869; not started by lsf_daemons (no pid file)"},
  };
  for (const auto& row : rows) {
    const Verdict verdict = judge(kLim, row.sight);
    EXPECT_EQ(verdict.line, row.line);
    EXPECT_EQ(verdict.state, row.state) << row.line;
  }
}

TEST(Verdict, TheExitStatusIsTheInitScripts) {
  const Verdict running{State::running, ""}, ailing{State::ailing, ""}, stopped{State::stopped, ""};
  EXPECT_EQ(status_code({running, running}), 0);
  EXPECT_EQ(status_code({stopped, stopped}), 3);
  EXPECT_EQ(status_code({running, stopped}), 1);
  EXPECT_EQ(status_code({ailing}), 1);
  EXPECT_EQ(status_code({stopped, ailing}), 1);
}

// --- which daemons belong on a host

TEST(DaemonKinds, ComeInTheOrderOfTheirStart) {
  std::vector<std::string> names;
  for (const auto& kind : daemon_kinds()) names.push_back(kind.name);
  EXPECT_THAT(names, ElementsAre("lim", "res", "mbatchd"));
  EXPECT_EQ(daemon_kind("sbatchd"), nullptr);
  EXPECT_EQ(daemon_kind("res")->children, DaemonKind::Children::stay) << "jobs outlive RES";
}

TEST(DaemonKinds, BelongWhereTheFilesSay) {
  const struct {
    const char* kind;
    HostRole role;
    std::string why_not;
  } rows[] = {
      {"lim", {"n1", false, "n2"}, ""},
      {"res", {"n1", true, "n2"}, ""},
      {"res", {"n1", false, "n1"}, "n1 is a client alone (server 0 in lsf.cluster)"},
      {"mbatchd", {"n1", true, "n1"}, ""},
      {"mbatchd", {"n1", true, "n2"}, "it is on n2 (ROLLCALL_MBD_HOST)"},
      {"mbatchd", {"n1", true, ""}, "no host of this cluster may have it"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(why_not_here(*daemon_kind(row.kind), row.role), row.why_not) << row.kind;
}

// --- the environment

TEST(DaemonEnvironment, HasAShortListAndNothingThatAUserSetForHimself) {
  const std::vector<std::string> words = {"HOME=/root",          "LD_PRELOAD=/tmp/x.so",
                                          "PATH=/tmp/evil:/bin", "LANG=C",
                                          "LC_TIME=C",           "IFS=x",
                                          "BASH_FUNC_x%%=()",    "LSF_ENVDIR=/other",
                                          "ROLLCALL_READY_FD=9", "PYTHONPATH=/tmp",
                                          "TMPDIR=/tmp/evil",    "HOMER=x",
                                          "SECRET=abc"};
  EXPECT_THAT(daemon_environment(words, true, {"/etc/lsf", "/l/lim.pid", 3}),
              ElementsAre("HOME=/root", "LANG=C", "LC_TIME=C",
                          "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                          "LSF_ENVDIR=/etc/lsf", "ROLLCALL_READY_FD=3", "ROLLCALL_PID_FILE=/l/lim.pid"));
  EXPECT_THAT(daemon_environment(words, false, {"/etc/lsf", "/l/lim.pid", 3}),
              ElementsAre("HOME=/root", "PATH=/tmp/evil:/bin", "LANG=C", "LC_TIME=C", "TMPDIR=/tmp/evil",
                          "LSF_ENVDIR=/etc/lsf", "ROLLCALL_READY_FD=3", "ROLLCALL_PID_FILE=/l/lim.pid"));
}

// --- the log's last line

TEST(LastLine, IsOneLineWithoutControlCharacters) {
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line("\n \n\n"), "");
  EXPECT_EQ(last_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_line("two"), "two");
  EXPECT_EQ(last_line("a\x1b[31mred\tb\x7f"), "a?[31mred?b?");
  EXPECT_EQ(last_line("x\n" + std::string(5000, 'y')).size(), 300u);
}

// --- what root trusts

TEST(Trust, RootStartsNothingThatOthersMayChange) {
  const struct {
    Ownership file;
    bool safe;
  } rows[] = {
      {{0, 0, 0644, false}, true},       {{0, 0, 0664, false}, true},  // root's own group
      {{0, 100, 0644, false}, true},     {{0, 100, 0664, false}, false}, {{0, 0, 0646, false}, false},
      {{1000, 0, 0600, false}, false},   {{0, 0, 0755, true}, true},     {{0, 0, 0777, true}, false},
      {{0, 0, 01777, true}, true},       {{0, 100, 01775, true}, true},  {{0, 0, 01666, false}, false},
      {{1000, 1000, 0755, true}, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(unsafe_for(0, row.file).empty(), row.safe)
        << std::oct << row.file.mode << " of " << row.file.owner << ":" << row.file.group;
    EXPECT_EQ(unsafe_for(1000, row.file), "");
  }
  EXPECT_EQ(unsafe_for(0, {1000, 0, 0600, false}), "belongs to user 1000, expected root");
}

TEST(DaemonKinds, TheLoadManagerIsTheFirst) {
  ASSERT_FALSE(daemon_kinds().empty());
  EXPECT_EQ(daemon_kinds().front().name, "lim");
}

}  // namespace
}  // namespace rollcall::elim::show
