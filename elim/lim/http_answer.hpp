// http_answer: the answer of the metrics port (http.hpp) to a request. A function without a socket.
#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <functional>
#include <string>

#include "elim/lim/http.hpp"

namespace rollcall::lim {

using HttpRequestParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
using HttpRequest = boost::beast::http::request<boost::beast::http::empty_body>;

// The limits on a request from an unauthenticated client.
void bound_request(HttpRequestParser& parser, const HttpLimits& limits);

struct HttpAnswer {
  std::string head;              // with the body if there are no pieces
  MetricsServer::Pieces pieces;  // the rest of the answer; none: complete
  bool chunked = false;          // sent in chunks; else the text ends with the connection
};
HttpAnswer answer_to(const HttpRequest& request, const std::function<MetricsServer::Answer()>& ask);
// `line`: the body; "" for none.
HttpAnswer short_answer(boost::beast::http::status status, const std::string& line);

// A piece as it is sent; an empty piece ends the text.
std::string framed(const std::string& piece, bool chunked);

}  // namespace rollcall::lim
