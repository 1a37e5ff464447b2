// FakeDaemon: a listening socket of the test, whose connections are served one behind the other by what the test gives.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace rollcall::testing {

class FakeDaemon {
 public:
  // Called for each connection in turn, in a thread of its own; it closes the connection when it returns.
  using Serve = std::function<void(int socket)>;

  explicit FakeDaemon(std::vector<Serve> connections)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serves = std::move(connections)] {
      for (const auto& serve : serves) {
        const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        serve(connection);
        close(connection);
      }
    });
  }
  ~FakeDaemon() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;

  int port() const { return port_; }
  void refuse_further() { shutdown(listener_, SHUT_RDWR); }

 private:
  int listener_;
  int port_ = 0;
  std::thread thread_;
};

// The daemon's end of a channel (ClusterChannel, SecureChannel) on a blocking socket.
template <class Channel>
class FakeEnd {
 public:
  FakeEnd(int socket, Channel channel) : socket_(socket), channel_(std::move(channel)) {}

  // The next payload; "" where the peer has gone.
  std::string receive() {
    while (inbox_.empty()) {
      char bytes[1 << 14];
      const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) return "";
      ++reads_;
      std::string answer;
      const auto fed =
          channel_.feed({bytes, static_cast<std::size_t>(count)}, answer, [this](std::string_view payload) {
            inbox_.emplace_back(payload);
            return rollcall::Result<void>();
          });
      if (!fed) return "";
      write(answer);
    }
    std::string first = std::move(inbox_.front());
    inbox_.erase(inbox_.begin());
    return first;
  }
  template <class Message>
  Message next() {
    Message message;
    message.ParseFromString(receive());
    return message;
  }
  // How often something was read: what a peer sends at once comes at once.
  int reads() const { return reads_; }
  template <class Message>
  void send(const Message& message) {
    write(channel_.seal(message.SerializeAsString()));
  }
  // Faulty messages: the first half of a sealed one, and a payload that cannot be parsed.
  template <class Message>
  void send_half(const Message& message) {
    const std::string sealed = channel_.seal(message.SerializeAsString());
    write(sealed.substr(0, sealed.size() / 2));
  }
  void send_payload(const std::string& payload) { write(channel_.seal(payload)); }
  // After its last word, as a shepherd does: a connection that is closed with something unread takes that word along.
  void hear_out() {
    shutdown(socket_, SHUT_WR);
    while (!receive().empty()) {
    }
  }

 private:
  void write(const std::string& bytes) {
    if (!bytes.empty()) ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  int socket_;
  Channel channel_;
  std::vector<std::string> inbox_;
  int reads_ = 0;
};

}  // namespace rollcall::testing
