#include "bench/simulated_hosts.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <vector>

#include "bench/simulated_messages.hpp"
#include "common/wire/channels.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostUnsent = 64
                                    << 10;  // bytes taken from the channels before the socket has taken them

struct Host {
  int fd = -1;
  bool connected = false;
  bool reported = false;  // all that is left is to send what waits, and pam's end
  bool shut = false;
  wire::Channels channels{wire::Channels::End::dialed};
  std::vector<io::SecureChannel> starters;  // channel 1 is the first one's
  std::string unsent;
  std::size_t welcomed = 0;
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

  Result<void> report_all() {
    const std::string message = task_ended();
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      Host& host = hosts_[h];
      for (std::size_t i = 0; i < host.starters.size(); ++i) {
        const auto channel = static_cast<wire::ChannelId>(i + 1);
        host.channels.send(channel, host.starters[i].seal(message));
        host.channels.close(channel);
      }
      host.reported = true;
      host.starters.clear();
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
    wire::append_frame(host.unsent, wire::kChannelsHello);
    const std::size_t tasks = tasks_of(h);
    host.starters.reserve(tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
      host.starters.push_back(io::SecureChannel::starter(simulation_.key, io::random_nonce()));
      host.channels.send(host.channels.open(), host.starters.back().start());
    }
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
    std::vector<wire::Channels::Event> events;
    if (auto fed = host.channels.feed(bytes, events); !fed) return fed;
    for (const auto& event : events) {
      if (host.reported) return {};
      const auto* arrived = std::get_if<wire::Channels::Arrived>(&event);
      if (arrived == nullptr) return internal_error("pam closed a channel of host " + std::to_string(h));
      host.channels.passed_on(arrived->channel, arrived->bytes.size());
      if (auto fed = talk(h, arrived->channel, arrived->bytes); !fed) return fed;
    }
    return {};
  }

  Result<void> talk(std::size_t h, wire::ChannelId channel, std::string_view bytes) {
    Host& host = hosts_[h];
    io::SecureChannel& starter = host.starters[channel - 1];
    std::string out;
    const bool was_open = starter.open();
    auto fed = starter.feed(bytes, out, [&](std::string_view payload) -> Result<void> {
      wire::FromPam message;
      if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
        return internal_error("pam sent no FromPam");
      if (message.has_end_task()) return internal_error("pam ends the job");
      if (message.has_welcome() && ++host.welcomed == host.starters.size()) ++registered_;
      return {};
    });
    if (!fed) return fed;
    if (!was_open && starter.open())
      out += starter.seal(registration((first_ + h) * per_host_ + channel - 1, per_host_));
    host.channels.send(channel, out);
    return {};
  }

  // Sends as much as the socket takes; after the last report the direction to pam is closed.
  Result<void> flush(std::size_t h) {
    Host& host = hosts_[h];
    if (!host.connected || host.fd < 0 || host.shut) return {};
    for (;;) {
      if (host.unsent.size() < kMostUnsent) host.unsent += host.channels.output(kMostUnsent);
      if (host.unsent.empty()) break;
      const ssize_t sent = send(host.fd, host.unsent.data(), host.unsent.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) return {};
      if (sent < 0) return failed("sending to pam for host " + std::to_string(h));
      host.unsent.erase(0, static_cast<std::size_t>(sent));
    }
    if (!host.reported || host.channels.has_output()) return {};
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
  std::size_t registered_ = 0;  // hosts
  std::size_t closed_ = 0;
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
    const auto middle = Clock::now();
    if (auto done = wave.report_all(); !done) return done.error();
    times.reporting += seconds_since(middle);
    ++times.waves;
  }
  return times;
}

}  // namespace rollcall::bench
