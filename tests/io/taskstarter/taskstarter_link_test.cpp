// TaskStarter's way to pam: which peer it accepts as its pam, and what a lost connection means.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TaskStarterLink : public Stage {
 protected:
  // A starter that is to end by itself before any task: what it said.
  static std::string refusal(const Program::Plan& plan) {
    Program starter(plan);
    EXPECT_EQ(starter.wait(), ExitStatus::exited(125));
    EXPECT_EQ(starter.rest(), "") << "the task has run";
    const std::string said = starter.errors();
    EXPECT_TRUE(said.starts_with("TaskStarter: " + host() + ": ")) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << "one line: " << said;
    return said;
  }
  static std::string host() {
    char name[256];
    gethostname(name, sizeof name);
    return name;
  }
  Program::Plan to(const std::string& where) const {
    return {{task_starter(), "-p", where, probe(), "nest"}, {{"ROLLCALL_KEY_FILE", key_.path}}, {}, false};
  }
};

TEST_F(TaskStarterLink, AClosedPortIsNoPam) {
  pam_.close_port();
  EXPECT_THAT(refusal(to(pam_.where())),
              HasSubstr("cannot reach pam at " + pam_.where() + ": connection refused"));
}

TEST_F(TaskStarterLink, InvalidAndUnknownHostNamesAreErrors) {
  EXPECT_THAT(refusal(to("no such host.invalid:1")), HasSubstr("control character"))
      << "a blank is no part of a name";
  EXPECT_THAT(refusal(to("rollcall-has-no-such-host.invalid:1")),
              HasSubstr("rollcall-has-no-such-host.invalid:1"));
}

TEST_F(TaskStarterLink, StartsNoTaskWithoutAKey) {
  auto plan = this->plan({probe(), "nest"});
  plan.variables["ROLLCALL_KEY_FILE"] = "/nonexistent/key";
  EXPECT_THAT(refusal(plan), HasSubstr("/nonexistent/key"));
  chmod(key_.path.c_str(), 0644);
  EXPECT_THAT(refusal(this->plan({probe(), "nest"})), HasSubstr("0644"));
}

TEST_F(TaskStarterLink, ARelayThatDoesNotAnswerIsNamedWhereItHasTheKey) {
  auto plan = this->plan({probe(), "nest"});
  plan.variables = {{"ROLLCALL_RELAY", "rollcall/span/of-nobody"}};
  EXPECT_THAT(refusal(plan), HasSubstr("ROLLCALL_RELAY: the job's shepherd on this host does not answer"));
}

TEST_F(TaskStarterLink, TheKeyIsLookedForWhereverHomeIs) {
  const std::string own = std::string(getpwuid(geteuid())->pw_dir) + "/.rollcall/key";
  if (access(own.c_str(), F_OK) == 0) GTEST_SKIP() << own << " would be taken";
  auto plan = this->plan({probe(), "nest"});
  plan.variables = {{"ROLLCALL_KEY_FILE", ""}, {"HOME", "/nonexistent"}};
  EXPECT_THAT(refusal(plan), AllOf(HasSubstr("/nonexistent/.rollcall/key"), HasSubstr("nor " + own)));
}

TEST_F(TaskStarterLink, ABrokenLsfConfIsNamed) {
  std::ofstream(key_.directory + "/lsf.conf") << "A=1\nnonsense\n";
  auto plan = this->plan({probe(), "nest"});
  plan.variables = {{"ROLLCALL_KEY_FILE", ""}};
  EXPECT_THAT(refusal(plan), HasSubstr("lsf.conf:2"));
  unlink((key_.directory + "/lsf.conf").c_str());
}

TEST_F(TaskStarterLink, APamWithAnotherKeyIsNotBelieved) {
  KeyFile other;
  auto plan = this->plan({probe(), "nest"});
  plan.variables["ROLLCALL_KEY_FILE"] = other.path;
  Program starter(plan);
  auto pam = pam_.accept();
  EXPECT_FALSE(pam.next_or_end("the end of the connection"));
  EXPECT_EQ(starter.wait(), ExitStatus::exited(125));
  EXPECT_THAT(starter.errors(), HasSubstr("what answers there does not hold our key (" + other.path + ")"));
  EXPECT_EQ(starter.rest(), "");
}

TEST_F(TaskStarterLink, AStrangerIsNotBelieved) {
  for (const std::string& said :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string("HTTP/1.1 400 Bad\r\n\r\n"),
        std::string("\xff\xff\xff\xff", 4), std::string("\0\0\0\0", 4), std::string("\0\0\0\1x", 5),
        std::string(5000, 'x')}) {
    Program starter(plan({probe(), "nest"}));
    const io::Descriptor stranger = pam_.accept_raw();
    send(stranger.get(), said.data(), said.size(), MSG_NOSIGNAL);
    EXPECT_EQ(starter.wait(), ExitStatus::exited(125));
    EXPECT_THAT(starter.errors(), HasSubstr("does not hold our key"));
    EXPECT_EQ(starter.rest(), "");
  }
}

TEST_F(TaskStarterLink, RetriesWhilePamHangsUpUntilThePortIsClosed) {
  Program starter(plan({probe(), "nest"}));
  for (int i = 0; i < 3; ++i) pam_.accept_raw();
  pam_.close_port();
  EXPECT_EQ(starter.wait(), ExitStatus::exited(125));
  EXPECT_THAT(starter.errors(), HasSubstr("connection refused"));
}

TEST_F(TaskStarterLink, APamThatMakesRoomAndThenTakesTheCallIsNotDead) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  talk.registration();
  talk.welcome(3);
  starter.line("the task's set-up");
  talk.hang_up();
  for (int i = 0; i < 2; ++i) pam_.accept_raw();
  for (int i = 0; i < 2; ++i) {
    auto not_taken = pam_.accept("another call");
    not_taken.take_nothing();
    not_taken.registration();
  }
  auto again = pam_.accept("the connection to be taken up again");
  EXPECT_EQ(again.registration().tid(), 3U);
  again.welcome(3);
  again.end_task(0);
  EXPECT_EQ(again.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(starter.errors(), "") << "expected no message on stderr";
}

TEST_F(TaskStarterLink, NoTaskRunsBeforePamHasProvedItself) {
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  starter.signal(SIGUSR2);  // is kept for the task, and shows below that none has run
  wait_until("the inner level to have taken it", [&] { return state_of(starter.pid()) == 'S'; });
  pam.registration();
  EXPECT_EQ(pam.ended().value(), SIGUSR2);
}

TEST_F(TaskStarterLink, SeveralAddressesAreTried) {
  FakePam closed(key_.key, "127.0.0.1", 0);
  const std::string port = ":" + std::to_string(pam_.port());
  for (const std::string where : {"127.9.9.9,127.0.0.1", "127.0.0.1,127.9.9.9", "::1,127.0.0.1", "localhost",
                                  "rollcall-has-no-such-host.invalid,127.0.0.1", "127.9.9.9,localhost"}) {
    Program starter(to(where + port));
    auto pam = pam_.accept();
    pam.registration();
    pam.end_task(0);
    EXPECT_EQ(pam.ended().value(), SIGKILL) << where;
  }
}

TEST_F(TaskStarterLink, AStrangerAtOneAddressIsPassedOver) {
  FakePam stranger(key_.key, "127.0.0.2", pam_.port());
  Program starter(to("127.0.0.2,127.0.0.1:" + std::to_string(pam_.port())));
  const io::Descriptor odd = stranger.accept_raw();
  send(odd.get(), "nonsense", 8, MSG_NOSIGNAL);
  auto pam = pam_.accept();
  pam.registration();
  EXPECT_TRUE(starter.running());
}

TEST_F(TaskStarterLink, ALostConnectionIsTakenUpAgain) {
  Program starter(plan({probe(), "signals"}));
  auto first = pam_.accept();
  const auto told = first.registration();
  first.welcome(17);
  first.deliver(1, SIGUSR1);
  starter.line("the task's set-up");
  EXPECT_EQ(starter.line("a signal"), "got 10");
  for (const bool hard : {false, true}) {
    hard ? first.reset() : first.hang_up();
    auto again = pam_.accept("the connection to be taken up again");
    const auto retold = again.registration();
    EXPECT_TRUE(retold.resumed());
    EXPECT_EQ(retold.tid(), 17U);
    EXPECT_EQ(retold.task_pid(), told.task_pid());
    EXPECT_EQ(retold.start_time_us(), told.start_time_us());
    again.deliver(1, SIGUSR1);  // a repetition
    again.deliver(hard ? 3 : 2, SIGUSR2);
    EXPECT_EQ(starter.line("a signal"), "got 12");
    first = std::move(again);
  }
  first.end_task(0);
  EXPECT_EQ(first.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
  EXPECT_EQ(starter.errors(), "") << "expected no message on stderr";
}

// Pam gives a connection up unread where it has not proved itself in time, as it can seem to a pam that was stopped.
TEST_F(TaskStarterLink, AnEndThatPamGaveUpUnreadIsToldAnew) {
  Program starter(plan({probe(), "exit", "3"}));
  auto first = pam_.accept();
  first.take_nothing();
  EXPECT_FALSE(first.registration().resumed());
  EXPECT_EQ(first.ended().value(), 3);
  EXPECT_TRUE(starter.running());
  first.hang_up();
  auto again = pam_.accept("the end to be told anew");
  const auto told = again.registration();
  EXPECT_TRUE(told.resumed()) << "pam may have it";
  EXPECT_FALSE(told.has_tid());
  EXPECT_EQ(again.ended().value(), 3);
  EXPECT_EQ(starter.wait(), ExitStatus::exited(3));
}

TEST_F(TaskStarterLink, AnEndThatMeetsACutIsToldAnew) {
  Program starter(plan({probe(), "nest"}));
  auto first = pam_.accept();
  const auto told = first.registration();
  first.welcome(17);
  const auto pids = pids_in(starter.line("the task's set-up"));
  const auto inner = static_cast<pid_t>(told.inner_pid());
  // It finds both at once: the end of the task, and a connection that takes no word of it.
  kill(inner, SIGSTOP);
  wait_until("TaskStarter to stop", [&] { return state_of(inner) == 'T'; });
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  wait_until("the task's end", [&] { return state_of(static_cast<pid_t>(told.task_pid())) == 'Z'; });
  first.reset();
  kill(inner, SIGCONT);
  auto again = pam_.accept("the end to be told anew");
  EXPECT_TRUE(again.registration().resumed());
  EXPECT_EQ(again.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

// The sockets of a process of ours whose other end is pam: copies, which say what the process has asked of the kernel.
std::vector<io::Descriptor> sockets_to(std::uint16_t port, pid_t pid) {
  std::vector<io::Descriptor> found;
  const io::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  for (int fd = 0; fd < 64; ++fd) {
    io::Descriptor copy(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), fd, 0)));
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (getpeername(copy.get(), reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && peer.sin_port == htons(port))
      found.push_back(std::move(copy));
  }
  return found;
}

int option_of(const io::Descriptor& socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  getsockopt(socket.get(), level, name, &value, &size);
  return value;
}

// docs/protocol.md, Liveness; pam's end is held to the same in pam_starters_test.
TEST_F(TaskStarterLink, TheKernelWatchesTheLink) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  const auto told = talk.registration();
  const auto sockets = sockets_to(pam_.port(), static_cast<pid_t>(told.inner_pid()));
  if (sockets.empty() && errno == EPERM) GTEST_SKIP() << "no process may be looked into here (ptrace_scope)";
  ASSERT_EQ(sockets.size(), 1U);
  EXPECT_EQ(option_of(sockets[0], SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option_of(sockets[0], IPPROTO_TCP, TCP_KEEPIDLE), 6);
  EXPECT_EQ(option_of(sockets[0], IPPROTO_TCP, TCP_KEEPINTVL), 3);
  EXPECT_EQ(option_of(sockets[0], IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(option_of(sockets[0], IPPROTO_TCP, TCP_USER_TIMEOUT), 14'000);
  EXPECT_EQ(option_of(sockets[0], IPPROTO_TCP, TCP_NODELAY), 1);
}

TEST_F(TaskStarterLink, ADeadPamEndsTheTask) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  talk.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  pam_.close_port();
  talk.hang_up();
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGTERM));
  EXPECT_THAT(starter.errors(),
              HasSubstr("pam at " + pam_.where() + " is gone (connection refused): ending the task"));
  for (const pid_t pid : pids) EXPECT_FALSE(alive(pid));
}

// The stderr of a job in a pager at its first page.
TEST_F(TaskStarterLink, ADeadPamEndsTheTaskThoughNobodyReadsOfIt) {
  auto plan = this->plan({probe(), "nest"});
  plan.prepare = [] {
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
    const std::string page(4096, 'x');
    while (write(STDERR_FILENO, page.data(), page.size()) > 0) continue;
    fcntl(STDERR_FILENO, F_SETFL, flags);
  };
  Program starter(plan);
  auto talk = pam_.accept();
  talk.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  pam_.close_port();
  talk.hang_up();
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGTERM));
  for (const pid_t pid : pids) EXPECT_FALSE(alive(pid));
}

TEST_F(TaskStarterLink, ADeadPamEndsATaskThatIgnoresTerm) {
  Program starter(plan({probe(), "stubborn"}));
  auto talk = pam_.accept();
  talk.registration();
  starter.line("the task's set-up");
  pam_.close_port();
  talk.reset();
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

TEST_F(TaskStarterLink, AnotherPamOnThePortIsNotOurs) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  talk.registration();
  starter.line("the task's set-up");
  pam_.become_another();
  talk.hang_up();
  auto other = pam_.accept("the connection to be taken up again");
  EXPECT_FALSE(other.next_or_end("the end of the connection")) << "another pam gets no message";
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGTERM));
  EXPECT_THAT(starter.errors(), HasSubstr("another pam answers there"));
}

TEST_F(TaskStarterLink, AStrangerOnThePortIsADeadPam) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  talk.registration();
  starter.line("the task's set-up");
  talk.hang_up();
  const io::Descriptor stranger = pam_.accept_raw();
  send(stranger.get(), "nonsense", 8, MSG_NOSIGNAL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGTERM));
  EXPECT_THAT(starter.errors(), HasSubstr("does not hold our key"));
}

TEST_F(TaskStarterLink, AnEndWhileTheConnectionIsTakenUpAgainIsReported) {
  Program starter(plan({probe(), "nest"}));
  auto talk = pam_.accept();
  talk.registration();
  const auto pids = pids_in(starter.line("the task's set-up"));
  talk.hang_up();
  auto again = pam_.accept("the connection to be taken up again");  // pam is busy, and does not answer yet
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  for (const pid_t pid : pids) wait_until("the task's end", [&] { return !alive(pid); });
  EXPECT_TRUE(starter.running());
  again.registration();
  EXPECT_EQ(again.ended().value(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
}

}  // namespace
}  // namespace rollcall::taskstarter::test
