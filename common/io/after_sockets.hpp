// after_the_sockets: a handler of the loop that comes after whatever is ready on sockets now. A function.
//
// Asio looks at sockets between two handlers, and puts what it finds behind those that are posted already. A handler that is posted by
// another one therefore comes after what was found in between: what has arrived is read before more work begins.
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
