// dialing: from a host's name to a connected socket, or to why there is none. A function; one loop, one thread.
//
// It tells apart what an election must tell apart: a port that refuses (the host lives, nobody listens there) from
// silence (nobody knows). It proves nothing about who answers: links.hpp does. The name is looked up in a side thread, since
// getaddrinfo may block for as long as a name server likes: whoever waits for that, the loop and its end do not.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/job_clock.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

class SideThread;

// Names that are looked up at once: a new master has all its hosts to find.
inline constexpr std::size_t kMostNames = 1 << 16;

struct Dialled {
  std::optional<boost::asio::ip::tcp::socket> socket;  // non-blocking; none: see `refused`
  bool refused = false;  // every address that answered did so with a closed port, and one did
  std::string why;       // for the log; empty with a socket
};

// Tries the addresses of `host` (a name or a numeric address) one after the other, each for `patience` at the most, and
// calls `done` once, never before it returns; not at all where `names`, whose patience a look-up has, ends before.
void dial(boost::asio::io_context& loop, SideThread& names, const std::string& host, std::uint16_t port,
          Duration patience, std::function<void(Dialled)> done);

}  // namespace rollcall::io
