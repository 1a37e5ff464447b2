// dialing: connects a socket to a host by name, or says why not. A function; one loop, one thread.
//
// An election needs the difference between a port that refuses (the host lives, its daemon does not) and silence (unknown), so
// the result has it. The answerer's proof is the work of links.hpp. Names are looked up in a side thread: getaddrinfo may block
// for as long as a name server likes, and must delay neither the loop nor its end.
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

// Concurrent name look-ups: a new master must find all its hosts.
inline constexpr std::size_t kMostNames = 1 << 16;

struct Dialled {
  std::optional<boost::asio::ip::tcp::socket> socket;  // non-blocking; none: see `refused`
  bool refused = false;  // at least one address answered, and every answer was a closed port
  std::string why;       // for the log; empty with a socket
};

// Tries the addresses of `host` (a name or a numeric address) one after the other, each for `patience` at most. Calls `done`
// once, never before it returns; not at all if `names`, which bounds the look-up, is destroyed before.
void dial(boost::asio::io_context& loop, SideThread& names, const std::string& host, std::uint16_t port,
          Duration patience, std::function<void(Dialled)> done);

}  // namespace rollcall::io
