#include "elim/lim/http.hpp"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <unordered_map>

#include "common/base/connection_shares.hpp"
#include "common/base/numbers.hpp"
#include "common/io/peer_holder.hpp"
#include "elim/lim/http_answer.hpp"

namespace rollcall::lim {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kRetry = std::chrono::seconds(1);

// One request and its answer. It lives as long as an operation of it is under way.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpLimits& limits, std::function<MetricsServer::Answer()> ask,
          std::function<void()> over)
      : stream_(std::move(socket)), limits_(limits), ask_(std::move(ask)), over_(std::move(over)) {}
  ~Session() { over_(); }

  void start() {
    bound_request(parser_, limits_);
    stream_.expires_after(limits_.request);
    http::async_read_header(
        stream_, buffer_, parser_, [self = shared_from_this()](const error_code& error, std::size_t) {
          if (!error) return self->answer(answer_to(self->parser_.get(), self->ask_));
          if (error.category() == http::make_error_code(http::error::bad_method).category() &&
              error != http::error::end_of_stream)
            self->answer(short_answer(http::status::bad_request, "this is no HTTP request"));
        });
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
  }

 private:
  void answer(HttpAnswer answer) {
    out_ = std::move(answer.head);
    pieces_ = std::move(answer.pieces);
    chunked_ = answer.chunked;
    write_next();
  }

  void write_next() {
    stream_.expires_after(limits_.write);
    boost::asio::async_write(stream_, boost::asio::buffer(out_),
                             [self = shared_from_this()](const error_code& error, std::size_t) {
                               if (error || !self->pieces_) return self->close();
                               auto piece = self->pieces_();
                               self->out_ = framed(piece.value_or(""), self->chunked_);
                               if (!piece) self->pieces_ = nullptr;
                               if (self->out_.empty()) return self->close();
                               self->write_next();
                             });
  }

  boost::beast::tcp_stream stream_;
  HttpLimits limits_;
  std::function<MetricsServer::Answer()> ask_;
  std::function<void()> over_;
  boost::beast::flat_buffer buffer_{16 * 1024};
  HttpRequestParser parser_;
  MetricsServer::Pieces pieces_;
  std::string out_;
  bool chunked_ = false;
};

}  // namespace

class MetricsServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& loop, const HttpLimits& limits, std::function<Answer()> ask)
      : acceptor_(loop),
        retry_(loop),
        limits_(limits),
        ask_(std::move(ask)),
        shares_({limits.connections, std::max<std::size_t>(1, limits.connections / 2)}) {}

  Result<std::uint16_t> listen(const HttpAddress& at) {
    error_code error;
    const tcp::endpoint endpoint(boost::asio::ip::make_address(at.host, error), at.port);
    if (!error) acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error)
      return internal_error("cannot listen for HTTP on " + at.host + " port " + std::to_string(at.port) +
                            ": " + error.message());
    fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    accept_next();
    return acceptor_.local_endpoint().port();
  }

  void stop() {
    stopped_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
  }

 private:
  void accept_next() {
    if (accepting_ || stopped_ || shares_.full()) return;
    accepting_ = true;
    acceptor_.async_accept([self = shared_from_this()](const error_code& error, tcp::socket socket) {
      self->accepting_ = false;
      if (error == boost::asio::error::operation_aborted) return;
      if (!error) self->serve(std::move(socket));
      if (!error) return self->accept_next();
      // Out of descriptors: the connection still waits, so accepting again at once would loop without end.
      self->retry_.expires_after(kRetry);
      self->retry_.async_wait([self](const error_code& ended) {
        if (!ended) self->accept_next();
      });
    });
  }

  void serve(tcp::socket socket) {
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    const std::uint64_t id = next_++;
    shares_.add(id, holders_.of(socket.native_handle()));
    const auto session =
        std::make_shared<Session>(std::move(socket), limits_, ask_, [self = weak_from_this(), id] {
          const auto server = self.lock();
          if (!server) return;
          server->shares_.remove(id);
          server->sessions_.erase(id);
          server->accept_next();
        });
    sessions_.emplace(id, session);
    session->start();
    if (const auto out = shares_.surplus(id)) close(*out);
  }

  // Closes one of the user or address with the most connections, since another one needs the place.
  void close(std::uint64_t id) {
    shares_.remove(id);
    const auto at = sessions_.find(id);
    const auto session = at == sessions_.end() ? nullptr : at->second.lock();
    if (session) session->close();
  }

  tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  HttpLimits limits_;
  std::function<Answer()> ask_;
  io::PeerHolders holders_;
  ConnectionShares shares_;
  std::unordered_map<std::uint64_t, std::weak_ptr<Session>> sessions_;
  std::uint64_t next_ = 1;
  bool accepting_ = false;
  bool stopped_ = false;
};

Result<HttpAddress> parse_http_address(std::string_view text) {
  HttpAddress address;
  std::string_view port = text;
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    address.host = host;
    port = text.substr(colon + 1);
  }
  error_code error;
  boost::asio::ip::make_address(address.host, error);
  const auto number = parse_whole(port, 0, 65535);
  if (error || !number)
    return configuration_error("ROLLCALL_HTTP: found \"" + std::string(text) +
                               "\", expected PORT or ADDRESS:PORT");
  address.port = static_cast<std::uint16_t>(*number);
  return address;
}

MetricsServer::MetricsServer(boost::asio::io_context& loop, const HttpLimits& limits,
                             std::function<Answer()> ask)
    : impl_(std::make_shared<Impl>(loop, limits, std::move(ask))) {}
MetricsServer::~MetricsServer() { impl_->stop(); }
Result<std::uint16_t> MetricsServer::listen(const HttpAddress& address) { return impl_->listen(address); }

}  // namespace rollcall::lim
