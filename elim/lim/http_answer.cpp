#include "elim/lim/http_answer.hpp"

#include <cstdio>

namespace rollcall::lim {

namespace http = boost::beast::http;

void bound_request(HttpRequestParser& parser, const HttpLimits& limits) {
  parser.header_limit(static_cast<std::uint32_t>(limits.header));
  parser.body_limit(0);
}

HttpAnswer answer_to(const HttpRequest& request, const std::function<MetricsServer::Answer()>& ask) {
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return short_answer(http::status::method_not_allowed, "only GET and HEAD");
  const std::string target(request.target());
  if (target.substr(0, target.find('?')) != "/metrics")
    return short_answer(http::status::not_found, "there is only /metrics");
  auto metrics = ask();
  if (!metrics.metrics) return short_answer(http::status::service_unavailable, metrics.reason);
  if (request.method() == http::verb::head) return short_answer(http::status::ok, "");
  // HTTP/1.0 has no chunks: there the text ends with the connection.
  const bool chunked = request.version() >= 11;
  return {std::string("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n") +
              "Connection: close\r\n" + (chunked ? "Transfer-Encoding: chunked\r\n" : "") + "\r\n",
          std::move(metrics.metrics), chunked};
}

HttpAnswer short_answer(http::status status, const std::string& line) {
  const std::string body = line.empty() ? "" : line + "\n";
  return {"HTTP/1.1 " + std::to_string(static_cast<int>(status)) + " " +
              std::string(http::obsolete_reason(status)) +
              "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body,
          nullptr, false};
}

std::string framed(const std::string& piece, bool chunked) {
  if (!chunked) return piece;
  if (piece.empty()) return "0\r\n\r\n";
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
  return size + piece + "\r\n";
}

}  // namespace rollcall::lim
