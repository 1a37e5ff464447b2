#include "bench/simulated_starters.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <sstream>

#include "bench/simulated_messages.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTasksPerHost = 100;  // of the simulated hosts

struct Starter {
  enum class State { idle, connecting, handshake, registered, reported, closed };
  State state = State::idle;
  int fd = -1;
  std::optional<io::SecureChannel> channel;
};

const char* text(Starter::State state) {
  static constexpr const char* kTexts[] = {"idle",       "connecting", "in the handshake",
                                           "registered", "reported",   "closed"};
  return kTexts[static_cast<int>(state)];
}

class Wave {
 public:
  // `first`: the task number of the wave's first starter.
  Wave(const Simulation& simulation, std::size_t first, std::size_t count)
      : simulation_(simulation), first_(first), starters_(count), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;
  ~Wave() {
    for (auto& starter : starters_)
      if (starter.fd >= 0) close(starter.fd);
    close(epoll_);
  }

  Result<void> register_all() {
    std::size_t dialled = 0;
    while (registered_ < starters_.size()) {
      for (; dialled < starters_.size() && dialled - registered_ < simulation_.window; ++dialled)
        if (auto done = dial(dialled); !done) return done;
      if (auto turned = turn(); !turned) return turned;
    }
    return {};
  }

  Result<void> report_all() {
    const std::string message = task_ended();
    for (std::size_t i = 0; i < starters_.size(); ++i) {
      Starter& starter = starters_[i];
      if (auto sent = send_bytes(i, starter.channel->seal(message)); !sent) return sent;
      shutdown(starter.fd, SHUT_WR);
      starter.state = Starter::State::reported;
      // What pam has answered to is read at once, or its words fill the kernel.
      if (i % 256 == 255)
        if (auto turned = turn(0); !turned) return turned;
    }
    while (closed_ < starters_.size())
      if (auto turned = turn(); !turned) return turned;
    return {};
  }

 private:
  Result<void> dial(std::size_t i) {
    Starter& starter = starters_[i];
    starter.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (starter.fd < 0) return failed("socket " + std::to_string(i));
    const int on = 1;
    setsockopt(starter.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(simulation_.port));
    to.sin_addr = address_of_pam(simulation_, i);
    if (connect(starter.fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS)
      return failed("connect " + std::to_string(i));
    starter.state = Starter::State::connecting;
    starter.channel = io::SecureChannel::starter(simulation_.key, io::random_nonce());
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLET;
    event.data.u64 = i;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, starter.fd, &event) != 0) return failed("epoll_ctl");
    return {};
  }

  Result<void> turn(int timeout_ms = 30000) {
    std::array<epoll_event, 512> events;
    const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    if (count < 0 && errno != EINTR) return failed("epoll_wait");
    if (count == 0 && timeout_ms != 0)
      return internal_error("nothing from pam for 30 s; welcomed " + std::to_string(registered_) +
                            ", closed " + std::to_string(closed_) + " of " +
                            std::to_string(starters_.size()));
    for (int e = 0; e < count; ++e)
      if (auto done =
              ready(events[static_cast<std::size_t>(e)].data.u64, events[static_cast<std::size_t>(e)].events);
          !done)
        return done;
    return {};
  }

  Result<void> ready(std::size_t i, std::uint32_t events) {
    Starter& starter = starters_[i];
    if (starter.state == Starter::State::connecting && (events & (EPOLLOUT | EPOLLERR)) != 0) {
      int error = 0;
      socklen_t size = sizeof error;
      getsockopt(starter.fd, SOL_SOCKET, SO_ERROR, &error, &size);
      errno = error;
      if (error != 0) return failed("connection " + std::to_string(i));
      starter.state = Starter::State::handshake;
      if (auto sent = send_bytes(i, starter.channel->start()); !sent) return sent;
    }
    return (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 ? read_all(i) : Result<void>{};
  }

  Result<void> read_all(std::size_t i) {
    Starter& starter = starters_[i];
    while (starter.fd >= 0) {
      const ssize_t got = recv(starter.fd, buffer_.data(), buffer_.size(), 0);
      if (got < 0 && errno == EAGAIN) return {};
      if (got < 0 && errno != ECONNRESET) return failed("reading from connection " + std::to_string(i));
      if (got <= 0) return ended(i);
      if (auto fed = feed(i, {buffer_.data(), static_cast<std::size_t>(got)}); !fed) return fed;
    }
    return {};
  }

  Result<void> feed(std::size_t i, std::string_view bytes) {
    Starter& starter = starters_[i];
    std::string out;
    const bool was_open = starter.channel->open();
    auto fed = starter.channel->feed(bytes, out, [&](std::string_view payload) -> Result<void> {
      wire::FromPam message;
      if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
        return internal_error("pam sent no FromPam");
      if (message.has_end_task()) return internal_error("pam ends the job");
      if (message.has_welcome()) {
        starter.state = Starter::State::registered;
        ++registered_;
      }
      return {};
    });
    if (fed && !was_open && starter.channel->open())
      out += starter.channel->seal(registration(first_ + i, kTasksPerHost));
    if (!fed || out.empty()) return fed;
    return send_bytes(i, out);
  }

  Result<void> ended(std::size_t i) {
    Starter& starter = starters_[i];
    if (starter.state != Starter::State::reported)
      return internal_error("pam closed connection " + std::to_string(i) + ", which was " +
                            text(starter.state));
    close(starter.fd);
    starter.fd = -1;
    starter.channel.reset();
    starter.state = Starter::State::closed;
    ++closed_;
    return {};
  }

  // So few bytes always fit into an empty socket buffer.
  Result<void> send_bytes(std::size_t i, std::string_view bytes) {
    const ssize_t sent = send(starters_[i].fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(bytes.size())) return {};
    return failed("sending to connection " + std::to_string(i) + ", which was " + text(starters_[i].state));
  }

  const Simulation& simulation_;
  std::size_t first_;
  std::vector<Starter> starters_;
  int epoll_;
  std::size_t registered_ = 0;
  std::size_t closed_ = 0;
  std::array<char, 4096> buffer_;
};

}  // namespace

Result<Simulation> simulation_of(const std::string& ts_options) {
  std::istringstream words(ts_options);
  std::string word, address;
  while (words >> word)
    if (word == "-p") words >> address;
  const auto colon = address.rfind(':');
  if (colon == std::string::npos)
    return internal_error("LSF_TS_OPTIONS: found \"" + ts_options + "\", expected -p HOST:PORT in it");
  Simulation simulation;
  simulation.port = std::atoi(address.c_str() + colon + 1);
  std::istringstream hosts(address.substr(0, colon));
  for (std::string host; std::getline(hosts, host, ',');) simulation.hosts.push_back(host);
  return simulation;
}

Result<Times> simulate(const Simulation& simulation) {
  Times times;
  for (std::size_t first = 0; first < simulation.tasks; first += simulation.wave) {
    Wave wave(simulation, first, std::min(simulation.wave, simulation.tasks - first));
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
