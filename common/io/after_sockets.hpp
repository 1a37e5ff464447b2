// after_the_sockets: posts a handler that runs after the sockets that are ready now have been read. A function.
//
// Asio polls sockets between two handlers, and queues ready ones behind handlers already posted. A handler that is posted by
// another one therefore runs after what was found in between, so that arrived data is read before more work begins.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace rollcall::io {

template <class Handler>
void after_the_sockets(boost::asio::io_context& loop, Handler handler) {
  boost::asio::post(
      loop, [&loop, handler = std::move(handler)]() mutable { boost::asio::post(loop, std::move(handler)); });
}

}  // namespace rollcall::io
