#include "taskstarter/host_relay.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include "common/io/abstract_socket.hpp"
#include "common/io/task_relay.hpp"
#include "taskstarter/detached.hpp"

namespace rollcall::taskstarter {
namespace {

TimePoint now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return TimePoint{std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)};
}

int milliseconds_until(const std::optional<TimePoint>& due) {
  if (!due) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
}

// TaskStarter has blocked all signals, and what is started by it inherits that.
void take_signals_as_usual() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A launcher may start the next task when the last one has ended: the relay stays for a moment, while pam does.
constexpr Duration kLinger = std::chrono::milliseconds(250);

[[noreturn]] void relay_until_all_have_left(io::Descriptor listener) {
  io::TaskRelay relay;
  relay.serve(std::move(listener));
  std::vector<pollfd> fds;
  std::optional<TimePoint> ends_at;
  do {
    fds.clear();
    relay.add_to(fds);
    auto due = relay.next_deadline();
    if (ends_at && (!due || *ends_at < *due)) due = ends_at;
    poll(fds.data(), fds.size(), milliseconds_until(due));
    relay.turn(fds, now());
    if (!relay.idle())
      ends_at.reset();
    else if (!ends_at)
      ends_at = now() + kLinger;
  } while (!ends_at || (relay.has_pams() && now() < *ends_at));
  _exit(0);
}

}  // namespace

HostRelay HostRelay::claim(const std::string& name) {
  HostRelay relay;
  if (name.empty()) return relay;
  const std::string place = "rollcall/pam/" + name;
  relay.listener_ = io::listen_abstract(place);
  if (!relay.listener_ && errno == EADDRINUSE) relay.place_ = place;
  return relay;
}

void HostRelay::start(std::span<char* const> words) {
  io::Descriptor listener = std::move(listener_);
  listener_ = {};
  // While we take over the orphans of our descendants the relay would become our child, and end as one.
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  const bool detached = fork_detached();
  if (detached) {
    leave_launcher("rollcall-relay", listener.get(), words);
    take_signals_as_usual();
    relay_until_all_have_left(std::move(listener));
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

}  // namespace rollcall::taskstarter
