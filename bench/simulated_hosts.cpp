#include "bench/simulated_hosts.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <vector>

#include "bench/simulated_messages.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/relay_items.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostInRecord = 256 << 10;

struct Host {
  int fd = -1;
  bool connected = false;
  bool reported = false;  // all that is left is to send what waits, and pam's end
  bool shut = false;
  std::optional<io::SecureChannel> talk;
  std::string items, unsent;
  std::size_t tasks = 0;
  std::size_t welcomed = 0, signalled = 0;
};

class HostWave {
 public:
  // `first`: the number of the wave's first host.
  HostWave(const Simulation& simulation, std::size_t per_host, std::size_t first, std::size_t count)
      : simulation_(simulation),
        per_host_(per_host),
        first_(first),
        hosts_(count),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  HostWave(const HostWave&) = delete;
  HostWave& operator=(const HostWave&) = delete;
  ~HostWave() {
    for (auto& host : hosts_)
      if (host.fd >= 0) close(host.fd);
    close(epoll_);
  }

  Result<void> register_all() {
    const std::size_t window = std::max<std::size_t>(1, simulation_.window / per_host_);
    std::size_t dialled = 0;
    while (registered_ < hosts_.size()) {
      for (; dialled < hosts_.size() && dialled - registered_ < window; ++dialled)
        if (auto done = dial(dialled); !done) return done;
      if (auto turned = turn(); !turned) return turned;
    }
    return {};
  }

  // pam is our parent. WINCH goes to the tasks alone. `signals`: which of pam's signals it is.
  Result<void> signal_all(std::size_t signals) {
    signals_ = signals;
    if (kill(getppid(), SIGWINCH) != 0) return failed("signalling pam");
    while (signalled_ < hosts_.size())
      if (auto turned = turn(); !turned) return turned;
    return {};
  }

  Result<void> report_all() {
    const std::string message = task_ended();
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      Host& host = hosts_[h];
      for (wire::TaskNumber task = 1; task <= host.tasks; ++task) {
        wire::append_task_message(host.items, task, message);
        wire::append_task_end(host.items, task);
      }
      host.reported = true;
      if (auto sent = flush(h); !sent) return sent;
      if (auto turned = turn(0); !turned) return turned;
    }
    while (closed_ < hosts_.size())
      if (auto turned = turn(); !turned) return turned;
    return {};
  }

 private:
  std::size_t tasks_of(std::size_t h) const {
    return std::min(per_host_, simulation_.tasks - (first_ + h) * per_host_);
  }

  Result<void> dial(std::size_t h) {
    Host& host = hosts_[h];
    host.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (host.fd < 0) return failed("socket of host " + std::to_string(h));
    const int on = 1;
    setsockopt(host.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(simulation_.port));
    to.sin_addr = address_of_pam(simulation_, h);
    if (connect(host.fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)
      return failed("connect of host " + std::to_string(h));
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    event.data.u64 = h;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, host.fd, &event) != 0) return failed("epoll_ctl");
    wire::append_frame(host.unsent, wire::kRelayHello);
    const io::Key key = io::relay_key(simulation_.key, static_cast<std::uint16_t>(simulation_.port));
    host.talk = io::SecureChannel::starter(key, io::random_nonce());
    host.unsent += host.talk->start();
    host.tasks = tasks_of(h);
    for (std::size_t i = 0; i < host.tasks; ++i)
      wire::append_task_message(host.items, static_cast<wire::TaskNumber>(i + 1),
                                registration((first_ + h) * per_host_ + i, per_host_));
    return {};
  }

  Result<void> turn(int timeout_ms = 60000) {
    std::array<epoll_event, 256> events;
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    if (count < 0 && errno != EINTR) return failed("epoll_wait");
    if (count == 0 && timeout_ms != 0)
      return internal_error("nothing from pam for 60 s; registered " + std::to_string(registered_) +
                            ", closed " + std::to_string(closed_) + " of " + std::to_string(hosts_.size()) +
                            " hosts");
    for (int e = 0; e < count; ++e) {
      const auto& event = events[static_cast<std::size_t>(e)];
      if (auto done = ready(event.data.u64, event.events); !done) return done;
    }
    return {};
  }

  Result<void> ready(std::size_t h, std::uint32_t events) {
    Host& host = hosts_[h];
    if (!host.connected && (events & (EPOLLOUT | EPOLLERR)) != 0) {
      int error = 0;
      socklen_t size = sizeof error;
      getsockopt(host.fd, SOL_SOCKET, SO_ERROR, &error, &size);
      errno = error;
      if (error != 0) return failed("connection of host " + std::to_string(h));
      host.connected = true;
    }
    if ((events & EPOLLOUT) != 0)
      if (auto sent = flush(h); !sent) return sent;
    return (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 ? read_all(h) : Result<void>{};
  }

  Result<void> read_all(std::size_t h) {
    Host& host = hosts_[h];
    while (host.fd >= 0) {
      const ssize_t got = recv(host.fd, buffer_.data(), buffer_.size(), 0);
      if (got < 0 && errno == EAGAIN) return flush(h);
      if (got < 0 && errno != ECONNRESET) return failed("reading from pam for host " + std::to_string(h));
      if (got <= 0) return ended(h);
      if (auto fed = heard(h, {buffer_.data(), static_cast<std::size_t>(got)}); !fed) return fed;
    }
    return {};
  }

  Result<void> heard(std::size_t h, std::string_view bytes) {
    Host& host = hosts_[h];
    return host.talk->feed(bytes, host.unsent, [&](std::string_view payload) -> Result<void> {
      while (!payload.empty()) {
        const auto item = wire::take_item(payload);
        if (!item) return item.error();
        if (auto taken = host.reported ? Result<void>{} : take(h, *item); !taken) return taken;
      }
      return {};
    });
  }

  Result<void> take(std::size_t h, const wire::RelayItem& item) {
    Host& host = hosts_[h];
    if (item.kind == wire::RelayItem::Kind::end)
      return internal_error("pam ended a task of host " + std::to_string(h));
    wire::FromPam message;
    if (!message.ParseFromArray(item.message.data(), static_cast<int>(item.message.size())))
      return internal_error("pam sent no FromPam");
    if (message.has_end_task()) return internal_error("pam ends the job");
    // A task that has just registered is also told what it may have missed.
    if (message.has_deliver_signal() && message.deliver_signal().sequence() == signals_) {
      host.signalled += item.last - item.first + 1;
      if (host.signalled == host.tasks) ++signalled_;
    }
    if (message.has_welcome() && ++host.welcomed == host.tasks) ++registered_;
    return {};
  }

  // Sends as much as the socket takes; after the last report the direction to pam is closed.
  Result<void> flush(std::size_t h) {
    Host& host = hosts_[h];
    if (!host.connected || host.fd < 0 || host.shut) return {};
    for (;;) {
      if (host.talk->open() && host.unsent.empty() && !host.items.empty())
        host.unsent += host.talk->seal(wire::take_items(host.items, kMostInRecord));
      if (host.unsent.empty()) break;
      const ssize_t sent = send(host.fd, host.unsent.data(), host.unsent.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) return {};
      if (sent < 0) return failed("sending to pam for host " + std::to_string(h));
      host.unsent.erase(0, static_cast<std::size_t>(sent));
    }
    if (!host.reported || !host.items.empty()) return {};
    host.shut = true;
    shutdown(host.fd, SHUT_WR);
    return {};
  }

  Result<void> ended(std::size_t h) {
    Host& host = hosts_[h];
    if (!host.shut) return internal_error("pam closed the connection of host " + std::to_string(h));
    close(host.fd);
    host = Host{};
    ++closed_;
    return {};
  }

  const Simulation& simulation_;
  std::size_t per_host_;
  std::size_t first_;
  std::vector<Host> hosts_;
  int epoll_;
  std::size_t registered_ = 0, signalled_ = 0;  // hosts
  std::size_t closed_ = 0;
  std::size_t signals_ = 0;
  std::array<char, 65536> buffer_;
};

}  // namespace

Result<Times> simulate_hosts(const Simulation& simulation, std::size_t per_host) {
  Times times;
  const std::size_t hosts = (simulation.tasks + per_host - 1) / per_host;
  const std::size_t wave_hosts = std::max<std::size_t>(1, simulation.wave / per_host);
  for (std::size_t first = 0; first < hosts; first += wave_hosts) {
    HostWave wave(simulation, per_host, first, std::min(wave_hosts, hosts - first));
    const auto start = Clock::now();
    if (auto done = wave.register_all(); !done) return done.error();
    times.registering += seconds_since(start);
    const auto signalled = Clock::now();
    if (auto done = wave.signal_all(times.waves + 1); !done) return done.error();
    times.signalling += seconds_since(signalled);
    const auto middle = Clock::now();
    if (auto done = wave.report_all(); !done) return done.error();
    times.reporting += seconds_since(middle);
    ++times.waves;
  }
  return times;
}

}  // namespace rollcall::bench
