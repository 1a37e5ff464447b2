// Door: a listening port on every address of this host. Links (daemons) and pam's Starters accept connections by it.
//
// Owns the listening socket and the order of accepting: all waiting connections, some in each turn of the loop, since a full
// backlog costs clients seconds. It stops while there is no room, until open_again(). It proves no peer's identity. One loop, one
// thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/base/result.hpp"

namespace rollcall::io {

class Door {
 public:
  struct Handler {
    std::function<void(boost::asio::ip::tcp::socket)>
        take;                         // non-blocking, close-on-exec, watched by the kernel
    std::function<bool()> full;       // no further connection for now
    std::function<bool()> make_room;  // closes one connection: true; false: the rest waits
    std::function<void()> waits;      // connections wait; open_again() must be called later
    std::function<void(const std::string&)> say;
  };
  // `callers`: "connections", for the message that descriptors have run out.
  Door(boost::asio::io_context& loop, std::string callers, Handler handler);

  // Port 0: the kernel chooses one. Gives the port; errors are the kernel's. `again`: also while connections of an earlier run on
  // this port still exist. Not for a port chosen by the kernel, which two programs could then get.
  enum class Taken { once, again };
  boost::system::result<std::uint16_t> listen(std::uint16_t port, Taken taken);
  bool waits() const { return waits_; }
  // There may be room again. Does nothing where no connection waits.
  void open_again();
  void close();

 private:
  boost::system::error_code open_on(const boost::asio::ip::tcp::endpoint& endpoint, Taken taken);
  void accept_next();
  void accept_all();
  void accept_soon();
  void wait();

  boost::asio::ip::tcp::acceptor acceptor_;
  std::string callers_;
  Handler handler_;
  std::shared_ptr<char> alive_ =
      std::make_shared<char>();  // a pending event of the loop may come after our end
  bool waits_ = false;
  bool said_full_ = false;
};

// True where the network ended the connection, not the peer.
bool is_cut(const boost::system::error_code& error);

// The address of the other end in its usual form: an IPv4 address also on an IPv6 socket.
std::string address_of(const boost::asio::ip::tcp::socket& socket);

// Counts rejected connections. A log line is due once for each address, and for a hundred of them; later ones are only counted.
class Strangers {
 public:
  bool line_is_due(const std::string& address);

 private:
  std::map<std::string, std::uint64_t> counts_;  // by address
};

}  // namespace rollcall::io
