// The only file that includes Boost.Process: its headers are large, and need care in 1.81 (the order and the macro below).
#include "common/io/child.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

// clang-format off
#define BOOST_PROCESS_USE_STD_FS  // else libboost_filesystem would be linked
#include <boost/optional.hpp>
#include <boost/process/v2/error.hpp>
#include <boost/process/v2/process_handle.hpp>
// clang-format on

#if !defined(BOOST_PROCESS_V2_PIDFD_OPEN)
#error "Boost.Process is without pidfds here: it would wait for SIGCHLD, which the programs take themselves"
#endif

namespace rollcall::io {

struct Child::State {
  pid_t pid;  // -1: over
  Ended ended;
  int process = -1;  // its pidfd, the loop's; -1: there is none
};

// The children of one loop. The loop owns it, like Asio's own services.
class ChildTable : public boost::asio::execution_context::service {
 public:
  using StatePtr = std::shared_ptr<Child::State>;
  static inline boost::asio::execution_context::id id;

  explicit ChildTable(boost::asio::execution_context& context)
      : service(context), loop_(static_cast<boost::asio::io_context&>(context)) {}

  Child add(pid_t pid, Child::Ended ended) {
    auto state = std::make_shared<Child::State>(Child::State{pid, std::move(ended), -1});
    Entry& entry = entries_.insert_or_assign(pid, Entry{state, std::nullopt}).first->second;
    watch(entry);
    return Child(std::move(state));
  }

  // Only the first ended child can be seen without reaping it. If that one has a pidfd, the loop will hear of it soon, and this
  // function runs again.
  void reap_others() {
    for (siginfo_t info{}; waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0;
         info = {}) {
      const auto at = entries_.find(info.si_pid);
      if (at != entries_.end() && at->second.handle) return;
      int status = 0;
      if (waitpid(info.si_pid, &status, WNOHANG) == info.si_pid) over(info.si_pid, status);
    }
  }

  void reap_all() {
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) over(pid, status);
  }

 private:
  // The handle, not class `process`: the destructor of that kills the process, and its exit code is 9 both for exit(9) and for
  // SIGKILL.
  using Handle = boost::process::v2::basic_process_handle<boost::asio::io_context::executor_type>;
  struct Entry {
    StatePtr state;
    std::optional<Handle> handle;  // none: there is no pidfd
  };

  void watch(Entry& entry) {
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, entry.state->pid, 0));
    if (process < 0) return;  // reap_others() finds it
    try {
      entry.handle.emplace(loop_.get_executor(), entry.state->pid, process);
    } catch (const boost::system::system_error&) {
      close(process);
      return;
    }
    entry.state->process = process;
    entry.handle->async_wait([this, state = entry.state](const boost::system::error_code& error, int status) {
      if (error == boost::asio::error::operation_aborted || state->pid < 0) return;
      over(state->pid, error ? kChildStatusUnknown : status);
      reap_others();
    });
  }

  void over(pid_t pid, int status) {
    const auto at = entries_.find(pid);
    if (at == entries_.end()) return;
    const StatePtr state = at->second.state;
    entries_.erase(at);
    state->pid = state->process = -1;
    if (const auto ended = std::exchange(state->ended, nullptr)) ended(status);
  }

  void shutdown() override {
    for (auto& [pid, entry] : entries_) entry.state->process = -1;
    entries_.clear();
  }

  boost::asio::io_context& loop_;
  std::unordered_map<pid_t, Entry> entries_;
};

std::variant<Child, SpawnError> Child::start(boost::asio::io_context& loop, const SpawnPlan& plan,
                                             Ended ended) {
  auto& table = boost::asio::use_service<ChildTable>(loop);  // first: if it throws, no process was started
  const auto started = spawn(plan);
  if (const auto* error = std::get_if<SpawnError>(&started)) return *error;
  return table.add(std::get<pid_t>(started), std::move(ended));
}

Child Child::adopt(boost::asio::io_context& loop, pid_t pid, Ended ended) {
  return boost::asio::use_service<ChildTable>(loop).add(pid, std::move(ended));
}

pid_t Child::pid() const { return state_ ? state_->pid : -1; }

void Child::signal(int signo) const {
  if (pid() <= 0) return;
  // Through the pidfd: the process may be reaped while its end still waits in the loop.
  if (state_->process < 0)
    kill(pid(), signo);
  else
    syscall(SYS_pidfd_send_signal, state_->process, signo, nullptr, 0);
}

void Child::reset() {
  if (const auto state = std::exchange(state_, nullptr)) state->ended = nullptr;
}

void reap_others(boost::asio::io_context& loop) { boost::asio::use_service<ChildTable>(loop).reap_others(); }

void reap_all(boost::asio::io_context& loop) { boost::asio::use_service<ChildTable>(loop).reap_all(); }

}  // namespace rollcall::io
