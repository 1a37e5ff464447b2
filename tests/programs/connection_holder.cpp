// connection_holder: holds connections with a daemon that say nothing, as an attacker does, for tests and for bench/strangers.
//
//   connection_holder --public FILE --port PORT [--at ADDRESS] [--silent N] [--handshaken N] [--again]
//
// Opens N connections that say nothing at all and N that complete the handshake as anyone and then say nothing. Prints "held
// SILENT HANDSHAKEN", how many of each have been open at some time, once all have been; then holds them until its standard input
// ends, and prints "closed N": how many the daemon has closed. --again: opens another one for each that was closed.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_key.hpp"
#include "common/io/descriptor.hpp"

namespace {

using namespace rollcall;

struct Words {
  std::string public_key, at = "127.0.0.1";
  int port = 0, silent = 0, handshaken = 0;
  bool again = false;
};

struct Held {
  io::Descriptor socket;
  std::unique_ptr<io::ClusterChannel> channel;  // none: it says nothing
  bool counted = false;
};

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "connection_holder: %s\n", why);
  std::exit(2);
}

Words parse(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--again") {
      words.again = true;
      continue;
    }
    if (++i == argc) fail("a value is missing");
    if (word == "--public")
      words.public_key = argv[i];
    else if (word == "--at")
      words.at = argv[i];
    else if (word == "--port")
      words.port = std::atoi(argv[i]);
    else if (word == "--silent")
      words.silent = std::atoi(argv[i]);
    else if (word == "--handshaken")
      words.handshaken = std::atoi(argv[i]);
    else
      fail("unknown option");
  }
  return words;
}

class Holder {
 public:
  Holder(const Words& words, const io::ClusterPublicKey& key)
      : words_(words), key_(key), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{EPOLLIN, {.fd = STDIN_FILENO}};
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, STDIN_FILENO, &event);
  }

  void run() {
    int to_open[2] = {words_.silent, words_.handshaken};
    std::array<epoll_event, 256> events{};
    for (;;) {
      // Some at a time, so that the daemon's answers are heard between.
      for (int kind = 0; kind < 2; ++kind)
        for (int i = 0; i < 64 && to_open[kind] > 0; ++i, --to_open[kind]) open(kind == 1);
      const bool opening = to_open[0] + to_open[1] > 0;
      const int count =
          epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), opening ? 0 : 200);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == STDIN_FILENO) return;
        const auto held = held_.find(fd);
        if (held == held_.end() || hear(held->second)) continue;
        const bool handshaken = held->second.channel != nullptr;
        if (!held->second.counted)
          ++reached_[handshaken];  // closed before the end of its handshake: it had its time
        held_.erase(held);
        ++closed_;
        if (words_.again) ++to_open[handshaken];
      }
      if (!said_ && reached_[0] >= words_.silent && reached_[1] >= words_.handshaken) {
        said_ = true;
        std::printf("held %d %d\n", reached_[0], reached_[1]);
        std::fflush(stdout);
      }
    }
  }
  long closed() const { return closed_; }

 private:
  void open(bool handshaken) {
    io::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(static_cast<in_port_t>(words_.port));
    inet_pton(AF_INET, words_.at.c_str(), &there.sin_addr);
    if (!socket) fail("no descriptor is left; raise the limit");
    if (connect(socket.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) != 0) {
      if (++failed_ > 10'000) fail("cannot connect");
      return;
    }
    Held held;
    if (handshaken) {
      held.channel =
          std::make_unique<io::ClusterChannel>(io::ClusterChannel::dial_as_anyone(key_, io::random_seed()));
      const auto first = held.channel->start();
      if (write(socket.get(), first.data(), first.size()) < 0) return;
    } else {
      ++reached_[0];
      held.counted = true;
    }
    fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    epoll_event event{EPOLLIN, {.fd = socket.get()}};
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event);
    const int fd = socket.get();
    held.socket = std::move(socket);
    held_[fd] = std::move(held);
  }

  // False where the daemon has closed it.
  bool hear(Held& held) {
    std::array<char, 4096> room;
    const ssize_t size = read(held.socket.get(), room.data(), room.size());
    if (size <= 0) return size < 0 && errno == EAGAIN;
    if (!held.channel) return true;
    std::string out;
    const auto fed = held.channel->feed({room.data(), static_cast<std::size_t>(size)}, out,
                                        [](std::string_view) { return Result<void>(); });
    if (!fed || write(held.socket.get(), out.data(), out.size()) < 0) return false;
    if (held.channel->open() && !held.counted) {
      held.counted = true;
      ++reached_[1];
    }
    return true;
  }

  Words words_;
  io::ClusterPublicKey key_;
  io::Descriptor epoll_;
  std::map<int, Held> held_;
  int reached_[2] = {0, 0};  // silent, handshaken
  long closed_ = 0, failed_ = 0;
  bool said_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const Words words = parse(argc, argv);
  const auto key = io::load_cluster_public_key(words.public_key);
  if (!key) fail(key.error().text.c_str());
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  Holder holder(words, *key);
  holder.run();
  std::printf("closed %ld\n", holder.closed());
}
