#include "common/io/dialing.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "common/io/host_lookup.hpp"
#include "common/io/side_thread.hpp"

namespace rollcall::io {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

tcp::endpoint endpoint_of(const HostAddress& address) {
  tcp::endpoint endpoint;
  endpoint.resize(address.size);
  std::memcpy(endpoint.data(), &address.place, address.size);
  return endpoint;
}

class Dial : public std::enable_shared_from_this<Dial> {
 public:
  Dial(boost::asio::io_context& loop, std::uint16_t port, Duration patience,
       std::function<void(Dialled)> done)
      : loop_(loop), timer_(loop), port_(port), patience_(patience), done_(std::move(done)) {}

  void start(SideThread& names, const std::string& host) {
    error_code error;
    const auto numeric = boost::asio::ip::make_address(host, error);
    if (!error) {
      addresses_ = {tcp::endpoint(numeric, port_)};
      boost::asio::post(loop_, [self = shared_from_this()] { self->try_next(); });
      return;
    }
    const auto found = std::make_shared<Result<std::vector<HostAddress>>>(Error());
    names.ask([found, host, port = port_] { *found = look_up(host, port); },
              [self = shared_from_this(), found](SideThread::End end) {
                // A hanging name server counts as silence; its thread may still write later.
                if (end != SideThread::End::finished)
                  return self->finish_without("its address cannot be found out");
                if (!*found) return self->finish_without(found->error().text);
                for (const auto& address : **found) self->addresses_.push_back(endpoint_of(address));
                self->try_next();
              });
  }

 private:
  // Ends the attempt when its patience is over, unless the timer is cancelled before.
  void watch() {
    gave_up_ = false;
    timer_.expires_after(patience_);
    // A timer that expired just before it was cancelled must not end the attempt.
    timer_.async_wait([self = shared_from_this(), round = ++round_](const error_code& error) {
      if (error || round != self->round_) return;
      self->gave_up_ = true;
      error_code ignored;
      if (self->socket_) self->socket_->close(ignored);
    });
  }

  void stop_watching() {
    ++round_;
    timer_.cancel();
  }

  void try_next() {
    if (next_ == addresses_.size()) return finish_without(last_ ? last_.message() : "no address");
    const tcp::endpoint to = addresses_[next_++];
    socket_.emplace(loop_);
    watch();
    socket_->async_connect(to, [self = shared_from_this()](const error_code& error) {
      self->stop_watching();
      self->connected(error);
    });
  }

  void connected(const error_code& error) {
    if (!error && !gave_up_) {
      error_code ignored;
      socket_->non_blocking(true, ignored);
      return finish({std::move(socket_), false, ""});
    }
    last_ = gave_up_ ? error_code(boost::asio::error::timed_out) : error;
    if (last_ == boost::asio::error::connection_refused)
      refused_ = true;
    else
      silent_ = true;
    try_next();
  }

  void finish_without(const std::string& why) { finish({std::nullopt, refused_ && !silent_, why}); }
  void finish(Dialled result) {
    socket_.reset();
    done_(std::move(result));
  }

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  std::uint16_t port_;
  Duration patience_;
  std::function<void(Dialled)> done_;
  std::vector<tcp::endpoint> addresses_;
  std::size_t next_ = 0;
  std::uint64_t round_ = 0;
  std::optional<tcp::socket> socket_;
  error_code last_;
  bool gave_up_ = false;
  bool refused_ = false;
  bool silent_ = false;
};

}  // namespace

void dial(boost::asio::io_context& loop, SideThread& names, const std::string& host, std::uint16_t port,
          Duration patience, std::function<void(Dialled)> done) {
  std::make_shared<Dial>(loop, port, patience, std::move(done))->start(names, host);
}

}  // namespace rollcall::io
