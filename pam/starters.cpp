#include "pam/starters.hpp"

#include <fcntl.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <deque>
#include <map>
#include <unordered_map>

#include "common/io/liveness.hpp"

namespace rollcall::pam {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 4096;
constexpr std::size_t kMostRefused = 100;  // addresses that get a line of their own
constexpr Duration kTimeToProve = std::chrono::seconds(1);
constexpr std::size_t kUnsentLimit = 1
                                     << 20;  // bytes; a starter that takes nothing for so long is not reading

bool is_cut(const error_code& error) {
  namespace e = boost::asio::error;
  return error == e::timed_out || error == e::host_unreachable || error == e::network_unreachable ||
         error == e::network_down;
}

// An IPv4 peer of our IPv6 socket as people write it.
std::string plain_text(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

struct Connection {
  Connection(tcp::socket s, ConnectionId i, io::SecureChannel c)
      : socket(std::move(s)), id(i), channel(std::move(c)) {}
  tcp::socket socket;
  ConnectionId id;
  io::SecureChannel channel;
  std::string unsent;
  error_code write_error;  // a failed write takes the socket's error with it
  bool waits_to_write = false;
  bool answered = false;  // what it sent first was a Hello
};

}  // namespace

class Starters::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, const io::Key& key, Handler handler)
      : acceptor_(loop), key_(key), instance_(io::random_instance()), handler_(std::move(handler)) {}

  Result<std::uint16_t> listen() {
    error_code error = open_on(tcp::endpoint(tcp::v6(), 0));
    if (error) error = open_on(tcp::endpoint(tcp::v4(), 0));  // a host without IPv6
    if (error) return internal_error("cannot listen for TaskStarters: " + error.message());
    accept_next();
    return acceptor_.local_endpoint().port();
  }

  void send(ConnectionId id, const wire::FromPam& message) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const auto connection = found->second;
    connection->unsent += connection->channel.seal(message.SerializeAsString());
    flush(connection);
  }

  void close(ConnectionId id) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    error_code ignored;
    found->second->socket.close(ignored);
    unproved_.erase(id);
    connections_.erase(found);
    if (starved_) accept_all();
  }

  void expire(TimePoint now) {
    now_ = now;
    if (starved_) accept_all();
    while (!unproved_.empty() && now_ - unproved_.begin()->second > kHandshakeTime) {
      const ConnectionId id = unproved_.begin()->first;
      stranger(id, "it did not prove itself within 10 s");
      close(id);
    }
  }

  void shut_down() {
    error_code ignored;
    acceptor_.close(ignored);
    for (auto& [id, connection] : connections_) connection->socket.close(ignored);
    connections_.clear();
  }

 private:
  error_code open_on(const tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.close(error);
    acceptor_.open(endpoint.protocol(), error);
    if (!error && endpoint.protocol() == tcp::v6())
      acceptor_.set_option(boost::asio::ip::v6_only(false), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(kBacklog, error);
    if (!error) acceptor_.non_blocking(true, error);
    if (!error) io::watch_liveness(acceptor_.native_handle());  // what it accepts inherits this
    // The launcher must not hold the port open when pam is gone.
    if (!error && fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC) != 0)
      error = error_code(errno, boost::system::system_category());
    return error;
  }

  void accept_next() {
    acceptor_.async_wait(tcp::acceptor::wait_read, [self = shared_from_this()](const error_code& error) {
      if (!error) self->accept_all();
    });
  }

  // Everything that waits, before any of it is read: a full backlog costs its clients seconds.
  void accept_all() {
    starved_ = false;
    for (;;) {
      error_code error;
      tcp::socket socket = acceptor_.accept(error);
      if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) break;
      if (lacks_room(error)) {
        if (make_room()) continue;
        starved_ = true;  // accepting goes on when a connection closes, or with the next expire()
        return;
      }
      if (error == boost::asio::error::bad_descriptor) return;
      if (!error) take(std::move(socket));
    }
    accept_next();
  }

  static bool lacks_room(const error_code& error) {
    return error.category() == boost::system::system_category() &&
           (error.value() == EMFILE || error.value() == ENFILE || error.value() == ENOBUFS ||
            error.value() == ENOMEM);
  }

  // Out of descriptors: the connection that has been unproved for longest goes.
  bool make_room() {
    if (!said_full_)
      handler_.say("no descriptors left for further TaskStarters: raise the hard limit (ulimit -Hn)");
    said_full_ = true;
    // A good TaskStarter proves itself in less; what cannot be taken now waits in the backlog.
    if (unproved_.empty() || now_ - unproved_.begin()->second < kTimeToProve) return false;
    const ConnectionId oldest = unproved_.begin()->first;
    stranger(oldest, "it did not prove itself and its descriptor is needed");
    error_code ignored;
    connections_[oldest]->socket.close(ignored);
    connections_.erase(oldest);
    unproved_.erase(oldest);
    return true;
  }

  void take(tcp::socket socket) {
    error_code error;
    socket.non_blocking(true, error);
    const ConnectionId id = next_id_++;
    auto connection = std::make_shared<Connection>(
        std::move(socket), id, io::SecureChannel::pam(key_, io::random_nonce(), instance_));
    connections_.emplace(id, connection);
    unproved_.emplace(id, now_);
    read_next(connection);
  }

  void read_next(const std::shared_ptr<Connection>& connection) {
    connection->socket.async_wait(tcp::socket::wait_read,
                                  [self = shared_from_this(), connection](const error_code& error) {
                                    if (!error) self->read_all(connection);
                                  });
  }

  void read_all(const std::shared_ptr<Connection>& connection) {
    while (connection->socket.is_open()) {
      error_code error;
      const std::size_t size = connection->socket.read_some(boost::asio::buffer(buffer_), error);
      if (error == boost::asio::error::would_block) return read_next(connection);
      if (error) return ended(connection, error);
      const bool was_open = connection->channel.open();
      const auto result =
          connection->channel.feed({buffer_.data(), size}, connection->unsent,
                                   [&](std::string_view payload) { return opened(*connection, payload); });
      if (!result) return offended(connection, was_open, result.error().text);
      connection->answered |= !connection->unsent.empty();
      flush(connection);
      if (size < buffer_.size())
        return read_next(connection);  // that was all; one system call less each time
    }
  }

  Result<void> opened(Connection& connection, std::string_view payload) {
    unproved_.erase(connection.id);
    wire::FromStarter message;
    if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
      return internal_error("found a message that cannot be read, expected FromStarter");
    handler_.message(connection.id, message);
    if (!connection.socket.is_open()) return internal_error("refused");
    return {};
  }

  // What the peer sent is not the protocol: nothing more is heard from it.
  void offended(const std::shared_ptr<Connection>& connection, bool was_open, const std::string& why) {
    if (!connection->socket.is_open()) return;  // we closed it ourselves
    stranger(connection->id, why);
    close(connection->id);
    if (was_open) handler_.closed(connection->id, false);
  }

  void ended(const std::shared_ptr<Connection>& connection, const error_code& error) {
    const bool was_open = connection->channel.open();
    // A TaskStarter that tries several of our addresses leaves all but one after its Hello.
    if (!connection->answered) stranger(connection->id, "it left before it had proved itself");
    close(connection->id);
    if (was_open) handler_.closed(connection->id, is_cut(error) || is_cut(connection->write_error));
  }

  void flush(const std::shared_ptr<Connection>& connection) {
    if (connection->waits_to_write || !connection->socket.is_open()) return;
    std::size_t sent = 0;
    while (sent < connection->unsent.size()) {
      error_code error;
      const auto rest =
          boost::asio::buffer(connection->unsent.data() + sent, connection->unsent.size() - sent);
      sent += connection->socket.write_some(rest, error);
      if (error == boost::asio::error::would_block) break;
      if (error) connection->write_error = error;  // reading finds that the connection has ended
      if (error) return connection->unsent.clear();
    }
    connection->unsent.erase(0, sent);
    if (connection->unsent.empty()) {
      connection->unsent.shrink_to_fit();
      return;
    }
    if (connection->unsent.size() > kUnsentLimit)
      return offended(connection, true, "it takes nothing of what it is sent");
    connection->waits_to_write = true;
    connection->socket.async_wait(tcp::socket::wait_write,
                                  [self = shared_from_this(), connection](const error_code& error) {
                                    connection->waits_to_write = false;
                                    if (!error) self->flush(connection);
                                  });
  }

  // Said once for each address; what comes after is only counted.
  void stranger(ConnectionId id, const std::string& why) {
    error_code error;
    const auto peer = connections_[id]->socket.remote_endpoint(error);
    const std::string address = error ? "a peer that has gone" : plain_text(peer.address());
    if (refused_.size() >= kMostRefused && refused_.count(address) == 0) return;
    if (refused_[address]++ == 0) handler_.say("refused a connection from " + address + ": " + why);
  }

  tcp::acceptor acceptor_;
  io::Key key_;
  io::Instance instance_;
  Handler handler_;
  ConnectionId next_id_ = 1;
  std::unordered_map<ConnectionId, std::shared_ptr<Connection>> connections_;
  std::map<ConnectionId, TimePoint> unproved_;  // by age, since ids grow
  std::map<std::string, std::uint64_t> refused_;
  TimePoint now_;
  bool starved_ = false;
  bool said_full_ = false;
  std::array<char, 64 * 1024> buffer_;  // one for all: a connection keeps only what is unfinished
};

Starters::Starters(boost::asio::io_context& loop, const io::Key& key, Handler handler)
    : impl_(std::make_shared<Impl>(loop, key, std::move(handler))) {}
Starters::~Starters() { impl_->shut_down(); }
Result<std::uint16_t> Starters::listen() { return impl_->listen(); }
void Starters::send(ConnectionId connection, const wire::FromPam& message) {
  impl_->send(connection, message);
}
void Starters::close(ConnectionId connection) { impl_->close(connection); }
void Starters::expire(TimePoint now) { impl_->expire(now); }

}  // namespace rollcall::pam
