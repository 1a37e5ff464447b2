// Door: a port on every address of this host, and what waits at it. Links (daemons) and pam's Starters take connections by it.
//
// Owns the listening socket and the order of accepting: everything that waits, some in each turn of the loop, since a full backlog
// costs its clients seconds; and nothing more while there is no room, until open_again(). It does not know who comes, and proves nobody. One
// loop, one thread.
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
    std::function<bool()> full;       // no further one for now
    std::function<bool()> make_room;  // somebody goes: true; else the rest waits
    std::function<void()> waits;      // they do; sooner or later open_again() is called
    std::function<void(const std::string&)> say;
  };
  // `callers`: "connections", for the line that says that descriptors have run out.
  Door(boost::asio::io_context& loop, std::string callers, Handler handler);

  // Port 0: one the kernel chooses. Gives the port; errors are the kernel's. `again`: also where connections of an earlier
  // run, which was on this port, are not gone yet; not for a port that is nobody's but ours, which two could then be given.
  enum class Taken { once, again };
  boost::system::result<std::uint16_t> listen(std::uint16_t port, Taken taken);
  bool waits() const { return waits_; }
  // There may be room again. Nothing where nobody waits.
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
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // an event of the loop's may come after us
  bool waits_ = false;
  bool said_full_ = false;
};

// The network ended it, not the peer.
bool is_cut(const boost::system::error_code& error);

// Of the other end, as people write it: an IPv4 address of an IPv6 socket too.
std::string address_of(const boost::asio::ip::tcp::socket& socket);

// Who was turned away. A line is due once for each address, and for a hundred of them; what comes after is only counted.
class Strangers {
 public:
  bool line_is_due(const std::string& address);

 private:
  std::map<std::string, std::uint64_t> counts_;  // by address
};

}  // namespace rollcall::io
