#include "common/io/door.hpp"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "common/io/liveness.hpp"

namespace rollcall::io {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 4096;
constexpr int kAtOnce =
    64;  // connections accepted in one turn of the loop; the loop reads open ones in between
constexpr std::size_t kMostStrangers = 100;  // addresses that get a line of their own

bool lacks_room(const error_code& error) {
  return error.category() == boost::system::system_category() &&
         (error.value() == EMFILE || error.value() == ENFILE || error.value() == ENOBUFS ||
          error.value() == ENOMEM);
}

}  // namespace

Door::Door(boost::asio::io_context& loop, std::string callers, Handler handler)
    : acceptor_(loop), callers_(std::move(callers)), handler_(std::move(handler)) {}

boost::system::result<std::uint16_t> Door::listen(std::uint16_t port, Taken taken) {
  error_code error = open_on(tcp::endpoint(tcp::v6(), port), taken);
  // A host without IPv6.
  if (error && error != boost::asio::error::address_in_use)
    error = open_on(tcp::endpoint(tcp::v4(), port), taken);
  if (error) return error;
  accept_next();
  return acceptor_.local_endpoint().port();
}

error_code Door::open_on(const tcp::endpoint& endpoint, Taken taken) {
  error_code error;
  acceptor_.close(error);
  acceptor_.open(endpoint.protocol(), error);
  if (!error && endpoint.protocol() == tcp::v6())
    acceptor_.set_option(boost::asio::ip::v6_only(false), error);
  if (!error && taken == Taken::again) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (!error) watch_liveness(acceptor_.native_handle());  // accepted connections inherit this
  // Children must not hold the port after our end.
  if (!error && fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC) != 0)
    error = error_code(errno, boost::system::system_category());
  return error;
}

void Door::accept_next() {
  acceptor_.async_wait(tcp::acceptor::wait_read,
                       [this, alive = std::weak_ptr<char>(alive_)](const error_code& error) {
                         if (!error && !alive.expired()) accept_all();
                       });
}

void Door::accept_all() {
  waits_ = false;
  for (int taken = 0;; ++taken) {
    if (taken == kAtOnce) return accept_soon();
    if (handler_.full() && !handler_.make_room()) return wait();
    error_code error;
    tcp::socket socket = acceptor_.accept(error);
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again)
      return accept_next();
    if (lacks_room(error)) {
      if (!std::exchange(said_full_, true))
        handler_.say("no descriptors left for further " + callers_ + ": raise the hard limit (ulimit -Hn)");
      if (handler_.make_room()) continue;
      return wait();
    }
    if (error == boost::asio::error::bad_descriptor) return;
    if (error) continue;
    socket.non_blocking(true, error);
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    handler_.take(std::move(socket));
  }
}

void Door::accept_soon() {
  boost::asio::post(acceptor_.get_executor(), [this, alive = std::weak_ptr<char>(alive_)] {
    if (!alive.expired() && acceptor_.is_open()) accept_all();
  });
}

void Door::wait() {
  waits_ = true;
  handler_.waits();
}

void Door::open_again() {
  if (waits_) accept_all();
}

void Door::close() {
  error_code ignored;
  acceptor_.close(ignored);
  waits_ = false;
}

bool is_cut(const error_code& error) {
  namespace e = boost::asio::error;
  return error == e::timed_out || error == e::host_unreachable || error == e::network_unreachable ||
         error == e::network_down;
}

std::string address_of(const tcp::socket& socket) {
  namespace ip = boost::asio::ip;
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return "a peer that has gone";
  const auto address = peer.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

bool Strangers::line_is_due(const std::string& address) {
  if (counts_.size() >= kMostStrangers && counts_.count(address) == 0) return false;
  return counts_[address]++ == 0;
}

}  // namespace rollcall::io
