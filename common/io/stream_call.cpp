#include "common/io/stream_call.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <utility>

#include "common/io/dialing.hpp"
#include "common/io/liveness.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::io {
namespace {

using boost::system::error_code;

constexpr std::chrono::seconds kPatience{15};   // to connect, and to prove
constexpr std::chrono::seconds kLastWords{10};  // for the peer to take what was sent last
constexpr std::size_t kPiece = 32 << 10;
constexpr int kMostPieces = 8;  // read in one turn

}  // namespace

class StreamCall::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, const wire::StreamPlace& place, Handler handler)
      : loop_(loop), timer_(loop), place_(place), handler_(std::move(handler)) {}

  void start(SideThread& names) {
    if (place_.key().size() != Key{}.size())
      return boost::asio::post(loop_, [self = shared_from_this()] { self->end("found no key of 32 bytes"); });
    dial(loop_, names, place_.host(), static_cast<std::uint16_t>(place_.port()), kPatience,
         [self = shared_from_this()](Dialled dialled) { self->dialled(std::move(dialled)); });
  }

  void send(std::string_view payload) {
    if (!channel_ || !channel_->open() || ended_) return;
    unsent_ += channel_->seal(payload);
    write();
  }
  std::size_t unsent() const { return unsent_.size(); }
  void read(bool wanted) {
    wanted_ = wanted;
    if (wanted_) await_bytes();
  }
  void drop_handler() { handler_ = {}; }
  void close() {
    ended_ = true;
    timer_.cancel();
    error_code ignored;
    if (socket_) socket_->close(ignored);
  }
  void leave() {
    if (ended_ || !channel_ || !channel_->open()) return close();
    leaves_ = wanted_ = true;
    write();
    await_bytes();
    timer_.expires_after(kLastWords);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->close();
    });
  }

 private:
  void dialled(Dialled dialled) {
    if (ended_) return;
    if (!dialled.socket) return end(dialled.why);
    socket_.emplace(std::move(*dialled.socket));
    error_code ignored;
    socket_->non_blocking(true, ignored);
    watch_liveness(socket_->native_handle(), liveness_of(LinkPatience{}.silence, LinkPatience{}.heartbeat));
    Key key{};
    std::copy(place_.key().begin(), place_.key().end(), key.begin());
    channel_.emplace(SecureChannel::starter(key, random_nonce()));
    unsent_ = channel_->start();
    timer_.expires_after(kPatience);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error && !self->ended_ && !self->channel_->open()) self->end("it did not prove itself in time");
    });
    write();
    await_bytes();
  }

  void end(const std::string& why) {
    if (ended_) return;
    close();
    if (const auto told = std::exchange(handler_, {}); told.ended) told.ended(why);
  }

  void write() {
    std::size_t sent = 0;
    error_code error;
    while (sent < unsent_.size() && !error)
      sent += socket_->write_some(boost::asio::buffer(unsent_.data() + sent, unsent_.size() - sent), error);
    unsent_.erase(0, sent);
    if (unsent_.empty()) {
      error_code ignored;
      if (leaves_) socket_->shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
      return;
    }
    // What the peer has sent before it closed can still be read: reading finds the end.
    if (error != boost::asio::error::would_block) return unsent_.clear();
    if (std::exchange(writes_, true)) return;
    socket_->async_wait(boost::asio::ip::tcp::socket::wait_write,
                        [self = shared_from_this()](const error_code& failed) {
                          self->writes_ = false;
                          if (!failed && !self->ended_) self->write();
                        });
  }

  void await_bytes() {
    if (!socket_ || ended_ || (!wanted_ && channel_->open()) || std::exchange(reads_, true)) return;
    socket_->async_wait(boost::asio::ip::tcp::socket::wait_read,
                        [self = shared_from_this()](const error_code& failed) {
                          self->reads_ = false;
                          if (!failed && !self->ended_) self->read_some();
                        });
  }

  void read_some() {
    std::array<char, kPiece> room;
    for (int pieces = 0; pieces < kMostPieces && (wanted_ || !channel_->open()); ++pieces) {
      error_code error;
      const std::size_t size = socket_->read_some(boost::asio::buffer(room), error);
      if (error == boost::asio::error::would_block) break;
      if (error) return end(error == boost::asio::error::eof ? "the connection was closed" : error.message());
      if (!leaves_ && !feed({room.data(), size})) return;
    }
    await_bytes();
  }

  // False: it has ended.
  bool feed(std::string_view bytes) {
    const bool was_open = channel_->open();
    std::string answer;
    const auto fed = channel_->feed(bytes, answer, [this](std::string_view payload) -> Result<void> {
      if (ended_ || !handler_.message) return {};
      const auto message = handler_.message;  // it may destroy the call
      return message(payload);
    });
    if (ended_) return false;
    if (!fed) return end(fed.error().text), false;
    unsent_ += answer;
    write();
    if (!was_open && channel_->open()) {
      timer_.cancel();
      if (const auto opened = handler_.opened) opened();
    }
    return !ended_;
  }

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  const wire::StreamPlace place_;
  Handler handler_;
  std::optional<boost::asio::ip::tcp::socket> socket_;
  std::optional<SecureChannel> channel_;
  std::string unsent_;
  bool wanted_ = true, reads_ = false, writes_ = false, leaves_ = false, ended_ = false;
};

StreamCall::StreamCall(boost::asio::io_context& loop, SideThread& names, const wire::StreamPlace& place,
                       Handler handler)
    : impl_(std::make_shared<Impl>(loop, place, std::move(handler))) {
  impl_->start(names);
}

StreamCall::~StreamCall() {
  if (!impl_) return;
  impl_->drop_handler();
  impl_->close();
}

void StreamCall::send(std::string_view payload) { impl_->send(payload); }
std::size_t StreamCall::unsent() const { return impl_->unsent(); }
void StreamCall::read(bool wanted) { impl_->read(wanted); }
void StreamCall::leave() {
  impl_->drop_handler();
  impl_->leave();
  impl_ = nullptr;
}

}  // namespace rollcall::io
