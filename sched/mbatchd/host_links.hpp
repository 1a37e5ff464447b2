// HostLinks: the connections of the hosts' RES: which host each is, what is sent and heard.
//
// It owns the table from host to link and back. Whoever holds the cluster's key is a daemon; which host it speaks for it says
// once, in its ResHello, and one connection at a time speaks for a host. What the messages mean is the Book's.
//
// state x message  | ResHello of a host of the cluster           | any other FromRes
//   new            | the host's link (an older one from the same | offence: the link ends
//                  | address goes; from another: refused)        |
//   the host's     | offence: the link ends                      | told
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "common/wire/batch.pb.h"

namespace rollcall::mbatchd {

class HostLinks {
 public:
  struct Handler {
    std::function<void(const std::string& host, const wire::FromRes&)> said;  // ResHello too; `send` works from then on
    std::function<void(const std::string& host)> lost;
    std::function<wire::ToRes::Welcome()> welcome;
  };
  HostLinks(io::Links& links, const io::Log& log, std::uint64_t term, Handler handler);

  // The servers of the cluster, official names. Links of hosts that are no longer there go.
  void configure(std::set<std::string> hosts);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  bool has(io::LinkId link) const { return peers_.count(link) != 0; }
  Result<void> message(io::LinkId link, const wire::FromRes& message);
  void ended(io::LinkId link);

  // Puts our term in. False where the host has no link.
  bool send(const std::string& host, wire::ToRes order);
  bool connected(const std::string& host) const { return by_host_.count(host) != 0; }
  // New settings for all.
  void welcome_all();

 private:
  struct Peer {
    std::string address;
    std::string host;  // "": has not said it
  };
  Result<void> hello(io::LinkId link, Peer& peer, const wire::FromRes& message);

  io::Links& links_;
  const io::Log& log_;
  std::uint64_t term_;
  Handler handler_;
  std::set<std::string> hosts_;
  std::unordered_map<io::LinkId, Peer> peers_;
  std::unordered_map<std::string, io::LinkId> by_host_;
};

}  // namespace rollcall::mbatchd
