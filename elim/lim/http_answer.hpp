// What the metrics door (http.hpp) answers to a request: a function of it. No socket here.
#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <functional>
#include <string>

#include "elim/lim/http.hpp"

namespace rollcall::lim {

using HttpRequestParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;
using HttpRequest = boost::beast::http::request<boost::beast::http::empty_body>;

// What is accepted of a stranger's bytes.
void bound_request(HttpRequestParser& parser, const HttpLimits& limits);

struct HttpAnswer {
  std::string head;              // with the body, where there are no pieces
  MetricsServer::Pieces pieces;  // what follows it; none: nothing
  bool chunked = false;          // as chunks; else the end of the connection is the end of the text
};
HttpAnswer answer_to(const HttpRequest& request, const std::function<MetricsServer::Answer()>& ask);
// `line`: the body; "" for none.
HttpAnswer short_answer(boost::beast::http::status status, const std::string& line);

// A piece as it is sent; an empty one is the end.
std::string framed(const std::string& piece, bool chunked);

}  // namespace rollcall::lim
