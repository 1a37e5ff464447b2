// Any bytes at LIM's metrics door: an answer of HTTP whose lines are ours, or none. Bytes that come in two pieces get the
// same answer as in one.
//
//   input = byte bytes     the byte: where the bytes are cut; bytes: what a stranger sends
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "elim/lim/http_answer.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall::lim;
using rollcall::fuzz::require;

namespace {

// All that is sent for these bytes; none: they end before a request does.
std::optional<std::string> reply_to(std::string_view first, std::string_view second) {
  HttpRequestParser parser;
  bound_request(parser, HttpLimits{});
  std::string seen;
  for (const std::string_view piece : {first, second}) {
    seen += piece;
    if (seen.empty()) continue;  // Beast counts from a null pointer then; a socket never gives nothing
    boost::system::error_code error;
    const std::size_t used = parser.put(boost::asio::buffer(seen), error);
    require(used <= seen.size());
    seen.erase(0, used);
    if (parser.is_header_done()) break;
    if (error && error != boost::beast::http::error::need_more)
      return short_answer(boost::beast::http::status::bad_request, "this is no HTTP request").head;
  }
  if (!parser.is_header_done()) return std::nullopt;
  int left = 2;
  const auto answer = answer_to(parser.get(), [&left] {
    return MetricsServer::Answer{[&left]() -> std::optional<std::string> {
                                   if (left-- == 0) return std::nullopt;
                                   return "line\n";
                                 },
                                 ""};
  });
  std::string all = answer.head;
  if (!answer.pieces) return all;
  while (auto piece = answer.pieces()) all += framed(*piece, answer.chunked);
  return all + framed("", answer.chunked);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = std::min<std::size_t>(data[0], bytes.size());
  const auto whole = reply_to(bytes, "");
  const auto pieces = reply_to(bytes.substr(0, cut), bytes.substr(cut));
  // Of an unfinished request Beast may see sooner or later that it will be none.
  if (!whole || !pieces) return 0;
  if (size < 4096) require(whole == pieces);  // near its limit Beast counts a header's bytes by how they come
  require(whole->starts_with("HTTP/1.1 ") && whole->find("\r\n\r\n") != std::string::npos);
  require(whole->find("Connection: close\r\n") != std::string::npos);
  return 0;
}
