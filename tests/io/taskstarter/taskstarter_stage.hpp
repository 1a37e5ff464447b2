// The stage for the tests of TaskStarter: a fake pam, and processes that do not outlive their test.
//
// FakePam speaks pam's side of the conversation over a loopback socket, in this thread, when it is asked to. Every
// wait has a deadline, and says what it waited for when that passes.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/exit_status.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::taskstarter::test {

inline constexpr std::chrono::seconds kPatience{60};  // far beyond what anything here takes

// Fails the test where `condition` does not become true in time.
void wait_until(const std::string& what, const std::function<bool()>& condition);

// True while the process exists and is no zombie.
bool alive(pid_t pid);
// The state letter of /proc/PID/stat; 0 where there is no such process.
char state_of(pid_t pid);
pid_t parent_of(pid_t pid);

// A key file of its own for a test; the path is in `path`.
struct KeyFile {
  KeyFile();
  ~KeyFile();
  io::Key key{};
  std::string directory;
  std::string path;
};

// One connection that a TaskStarter has made.
class Conversation {
 public:
  Conversation(io::Descriptor socket, const io::Key& key, const io::Instance& instance);
  // The handshake up to the first sealed message, which must be the registration.
  wire::Register registration();
  // The next message; fails the test where none comes.
  wire::FromStarter next(const std::string& what);
  // Nothing where the starter has closed the connection.
  std::optional<wire::FromStarter> next_or_end(const std::string& what);
  // The next TaskEnded, past everything else.
  wire::TaskEnded ended();
  void send(const wire::FromPam& message);
  void welcome(std::uint32_t tid);
  // A registration is welcomed when a test reads it, as pam does, but for those after this.
  void take_nothing() { takes_ = false; }
  void deliver(std::uint32_t sequence, int signo);
  void end_task(std::uint32_t grace_ms);
  bool closed_by_starter();
  void hang_up() { socket_.reset(); }
  void reset();  // an RST instead of a FIN
  int fd() const { return socket_.get(); }

 private:
  bool fill(const std::string& what);
  io::Descriptor socket_;
  io::SecureChannel channel_;
  std::vector<wire::FromStarter> messages_;
  bool takes_ = true;
};

class FakePam {
 public:
  explicit FakePam(const io::Key& key, const std::string& address = "127.0.0.1", int port = 0);
  int port() const { return port_; }
  std::string where() const { return address_ + ":" + std::to_string(port_); }
  Conversation accept(const std::string& what = "a connection");
  io::Descriptor accept_raw();
  void close_port() { listener_.reset(); }
  // From here on it is another pam with the same key.
  void become_another() { instance_ = io::random_instance(); }

 private:
  io::Key key_;
  io::Instance instance_ = io::random_instance();
  std::string address_;
  io::Descriptor listener_;
  int port_ = 0;
};

// A started program, killed with everything it left when the test is over.
class Program {
 public:
  struct Plan {
    std::vector<std::string> words;
    std::map<std::string, std::string> variables;  // beside our own environment
    std::function<void()> prepare;                 // in the child, before exec
    bool with_terminal =
        false;  // leads a session with a terminal of its own; stdin, stdout and stderr are it
  };
  explicit Program(Plan plan);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int signo) const;
  ExitStatus wait();
  bool running();
  // The next line of its output (stdout; with a terminal everything).
  std::string line(const std::string& what);
  // What was said and not read yet; until the end of the output.
  std::string rest();
  std::string errors();  // all of stderr, after the end
  void type(const std::string& keys) const;

 private:
  pid_t pid_ = 0;
  io::Descriptor output_;
  io::Descriptor error_output_;
  std::string said_;
  std::optional<ExitStatus> status_;
};

// TaskStarter before a command, with a pam that it can reach.
class Stage : public ::testing::Test {
 protected:
  Stage();
  std::vector<std::string> starter(const std::vector<std::string>& command) const;
  Program::Plan plan(const std::vector<std::string>& command) const;
  static std::string probe() { return ROLLCALL_PROBE; }
  static std::string task_starter() { return ROLLCALL_TASK_STARTER; }

  KeyFile key_;
  FakePam pam_{key_.key};
};

// The numbers of a line "ready 1 2 3".
std::vector<pid_t> pids_in(const std::string& line);

}  // namespace rollcall::taskstarter::test
