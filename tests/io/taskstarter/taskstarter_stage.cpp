#include "tests/io/taskstarter/taskstarter_stage.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "common/io/key_file.hpp"
#include "common/io/process_tree.hpp"

namespace rollcall::taskstarter::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void out_of_patience(const std::string& what) {
  throw std::runtime_error("waited " + std::to_string(kPatience.count()) + " s for " + what);
}

void await_readable(int fd, const std::string& what) {
  pollfd readable{fd, POLLIN, 0};
  if (poll(&readable, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) != 1)
    out_of_patience(what);
}

// The field after the name: 1 is the state, 2 the parent.
std::string stat_field(pid_t pid, int field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return {};
  std::istringstream words(line.substr(line.rfind(')') + 1));
  std::string word;
  for (int i = 0; i < field; ++i) words >> word;
  return word;
}

}  // namespace

void wait_until(const std::string& what, const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + kPatience;
  while (!condition()) {
    if (Clock::now() > deadline) out_of_patience(what);
    poll(nullptr, 0, 2);
  }
}

char state_of(pid_t pid) {
  const std::string state = stat_field(pid, 1);
  return state.empty() ? '\0' : state[0];
}

pid_t parent_of(pid_t pid) { return std::atoi(stat_field(pid, 2).c_str()); }

bool alive(pid_t pid) { return io::is_alive(pid); }

std::vector<pid_t> pids_in(const std::string& line) {
  std::istringstream words(line.substr(line.find(' ')));
  std::vector<pid_t> pids;
  for (pid_t pid = 0; words >> pid;) pids.push_back(pid);
  return pids;
}

KeyFile::KeyFile() {
  char name[] = "/tmp/rollcall-taskstarter-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("cannot make a directory in /tmp");
  directory = name;
  path = directory + "/key";
  const auto made = io::load_or_create_key(path);
  if (!made) throw std::runtime_error(made.error().text);
  key = *made;
}

KeyFile::~KeyFile() {
  unlink(path.c_str());
  rmdir(directory.c_str());
}

Conversation::Conversation(io::Descriptor socket, const io::Key& key, const io::Instance& instance)
    : socket_(std::move(socket)), channel_(io::SecureChannel::pam(key, io::random_nonce(), instance)) {}

// Takes what has come; false at the end of the connection.
bool Conversation::fill(const std::string& what) {
  await_readable(socket_.get(), what);
  char bytes[4096];
  const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, 0);
  if (size <= 0) return false;
  std::string answer;
  const auto take = [&](std::string_view payload) -> Result<void> {
    messages_.emplace_back();
    if (!messages_.back().ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("no message of a starter");
    return {};
  };
  const auto fed = channel_.feed({bytes, static_cast<std::size_t>(size)}, answer, take);
  if (!fed) throw std::runtime_error(fed.error().text);
  if (!answer.empty()) ::send(socket_.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
  return true;
}

std::optional<wire::FromStarter> Conversation::next_or_end(const std::string& what) {
  while (messages_.empty())
    if (!fill(what)) return std::nullopt;
  auto message = messages_.front();
  messages_.erase(messages_.begin());
  if (takes_ && message.has_registration()) welcome(message.registration().tid());
  return message;
}

wire::FromStarter Conversation::next(const std::string& what) {
  auto message = next_or_end(what);
  if (!message) throw std::runtime_error("the connection ended instead of " + what);
  return *message;
}

wire::Register Conversation::registration() {
  const auto message = next("the registration");
  if (!message.has_registration()) throw std::runtime_error("the first message is no registration");
  return message.registration();
}

wire::TaskEnded Conversation::ended() {
  while (true) {
    const auto message = next("the task's end");
    if (message.has_task_ended()) return message.task_ended();
  }
}

void Conversation::send(const wire::FromPam& message) {
  const std::string bytes = channel_.seal(message.SerializeAsString());
  ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void Conversation::welcome(std::uint32_t tid) {
  wire::FromPam message;
  message.mutable_welcome()->set_tid(tid);
  send(message);
}

void Conversation::deliver(std::uint32_t sequence, int signo) {
  wire::FromPam message;
  message.mutable_deliver_signal()->set_sequence(sequence);
  message.mutable_deliver_signal()->set_signo(signo);
  send(message);
}

void Conversation::end_task(std::uint32_t grace_ms) {
  wire::FromPam message;
  message.mutable_end_task()->set_grace_ms(grace_ms);
  send(message);
}

bool Conversation::closed_by_starter() {
  while (next_or_end("the end of the connection")) continue;
  return true;
}

void Conversation::reset() {
  const linger now{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket_.reset();
}

FakePam::FakePam(const io::Key& key, const std::string& address, int port)
    : key_(key), address_(address), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  const int yes = 1;
  setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof at;
  if (bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), size) != 0 ||
      listen(listener_.get(), 16) != 0 ||
      getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0)
    throw std::runtime_error("cannot listen on " + address);
  port_ = ntohs(at.sin_port);
}

io::Descriptor FakePam::accept_raw() {
  await_readable(listener_.get(), "a connection");
  return io::Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

Conversation FakePam::accept(const std::string& what) {
  await_readable(listener_.get(), what);
  return {io::Descriptor(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), key_, instance_};
}

Program::Program(Plan plan) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a program leaves behind is seen, and ended, here
  int out[2], err[2];
  int terminal = -1, side = -1;
  if (plan.with_terminal) {
    if (openpty(&terminal, &side, nullptr, nullptr, nullptr) != 0)
      throw std::runtime_error("no terminal to be had");
    fcntl(terminal, F_SETFD, FD_CLOEXEC);
  } else if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipes to be had");
  }
  std::vector<char*> argv;
  for (auto& word : plan.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (plan.with_terminal) {
      login_tty(side);
    } else {
      dup2(out[1], STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
    }
    for (const auto& [name, value] : plan.variables) setenv(name.c_str(), value.c_str(), 1);
    if (plan.prepare) plan.prepare();
    execvp(argv[0], argv.data());
    _exit(99);
  }
  if (plan.with_terminal) {
    close(side);
    output_ = io::Descriptor(terminal);
    return;
  }
  close(out[1]);
  close(err[1]);
  output_ = io::Descriptor(out[0]);
  error_output_ = io::Descriptor(err[0]);
}

Program::~Program() {
  if (!status_) kill(pid_, SIGKILL);
  // Whatever has fallen to us by now.
  for (int i = 0; i < 1000; ++i) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    if (io::signal_descendants(SIGKILL) == 0 && waitpid(-1, nullptr, WNOHANG) < 0) break;
    poll(nullptr, 0, 2);
  }
}

void Program::signal(int signo) const { kill(pid_, signo); }

ExitStatus Program::wait() {
  if (status_) return *status_;
  int status = 0;
  wait_until("the end of process " + std::to_string(pid_),
             [&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
  status_ = ExitStatus::from_wait(status);
  return *status_;
}

bool Program::running() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = ExitStatus::from_wait(status);
  return !status_;
}

std::string Program::line(const std::string& what) {
  while (true) {
    if (const auto end = said_.find('\n'); end != said_.npos) {
      std::string line = said_.substr(0, end);
      said_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    await_readable(output_.get(), what);
    char bytes[4096];
    const ssize_t size = read(output_.get(), bytes, sizeof bytes);
    if (size <= 0) throw std::runtime_error("the output ended instead of " + what + "; it said: " + said_);
    said_.append(bytes, static_cast<std::size_t>(size));
  }
}

std::string Program::rest() {
  char bytes[4096];
  while (true) {
    await_readable(output_.get(), "the end of the output");
    const ssize_t size = read(output_.get(), bytes, sizeof bytes);
    if (size <= 0) return std::exchange(said_, {});
    said_.append(bytes, static_cast<std::size_t>(size));
  }
}

std::string Program::errors() {
  std::string result;
  char bytes[4096];
  while (true) {
    await_readable(error_output_.get(), "the end of stderr");
    const ssize_t size = read(error_output_.get(), bytes, sizeof bytes);
    if (size <= 0) return result;
    result.append(bytes, static_cast<std::size_t>(size));
  }
}

void Program::type(const std::string& keys) const {
  if (write(output_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("cannot type");
}

Stage::Stage() {
  // The launcher that started the test may have set variables with ranks.
  for (const char* name : {"LSF_TS_OPTIONS", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    unsetenv(name);
}

std::vector<std::string> Stage::starter(const std::vector<std::string>& command) const {
  std::vector<std::string> words{task_starter(), "-p", pam_.where(), "-c", key_.directory};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Program::Plan Stage::plan(const std::vector<std::string>& command) const {
  return {starter(command), {{"ROLLCALL_KEY_FILE", key_.path}}, {}, false};
}

}  // namespace rollcall::taskstarter::test
