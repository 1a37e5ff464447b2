// MetricsServer: LIM's only port without authentication: GET /metrics over HTTP, read only, off unless ROLLCALL_HTTP is set.
//
// Owns a listening socket (loopback unless configured otherwise) and at most a few connections of one request each, limited in
// size and time: a client that sends garbage or nothing, or does not read, cannot hurt others. The caller makes the answer, a
// piece at a time, as the client reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::lim {

struct HttpAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};
// "PORT", "ADDRESS:PORT", "[IPV6]:PORT". The error says what was found.
Result<HttpAddress> parse_http_address(std::string_view text);

struct HttpLimits {
  std::size_t connections = 64;                // half of them of one user or address; further ones wait
  std::size_t header = 8192;                   // bytes
  Duration request = std::chrono::seconds(5);  // until the request is complete
  Duration write = std::chrono::seconds(15);   // for each piece
};

class MetricsServer {
 public:
  using Pieces = std::function<std::optional<std::string>()>;
  struct Answer {
    Pieces metrics;      // none: there is nothing to show here, see `reason`
    std::string reason;  // why, one line
  };

  MetricsServer(boost::asio::io_context& loop, const HttpLimits& limits, std::function<Answer()> ask);
  ~MetricsServer();

  // Gives the port. The error names address and reason.
  Result<std::uint16_t> listen(const HttpAddress& address);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::lim
