// ResLinks: the connections of the hosts' RES: which host each is, what is sent and heard.
//
// It owns the table from host to link and back. Whoever holds the cluster's key is a daemon; which host it speaks for it says
// once, in its ResHello, and is believed where it calls from an address of that host (common/io/host_claims.hpp,
// docs/decisions/0021). One connection at a time speaks for a host. What the messages mean is ResEngine's.
//
// state x message  | ResHello of a host of the cluster           | any other FromRes
//   new            | judged, beside the loop                     | offence: the link ends
//   judged         | offence: the link ends                      | kept, until it is
//     good         | the host's link (an older one from the same | told
//                  | address goes; from another: refused)        |
//     foreign      | refused                                     | -
//   the host's     | offence: the link ends                      | told
//
// A RES that is frozen keeps its TCP connection: the kernel answers for it. So each host is sent a Ping at every beat, a third
// of SBD_SLEEP_TIME; one that has said nothing for three beats is silent, and its link ends. Beats are counted, not seconds:
// the time in which mbatchd itself was stopped is none of the host's. A RES that knows no Ping is left to TCP.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/io/host_claims.hpp"
#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "common/wire/res.pb.h"
#include "sched/mbatchd/configuration.hpp"

namespace rollcall::mbatchd {

class ResLinks {
 public:
  struct Handler {
    std::function<void(const std::string& host, const wire::FromRes&)>
        said;  // ResHello too; `send` works from then on
    // `silent`: how long nothing was heard of it before.
    std::function<void(const std::string& host, Duration silent)> lost;
    // It is there and has had orders of another store: why it is not taken, for people. Told at each try.
    std::function<void(const std::string& host, const std::string& why)> not_ours;
  };
  ResLinks(boost::asio::io_context& loop, io::Links& links, const io::Log& log, std::uint64_t term,
           Handler handler);

  // Links of hosts that are no longer servers of the cluster go; the others are told their settings.
  void configure(std::shared_ptr<const Configuration> configuration);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  bool has(io::LinkId link) const { return peers_.count(link) != 0; }
  Result<void> message(io::LinkId link, const wire::FromRes& message);
  void ended(io::LinkId link);

  // Puts our term in. False where the host has no link.
  bool send(const std::string& host, wire::ToRes order);
  bool connected(const std::string& host) const { return by_host_.count(host) != 0; }
  // What it has not taken yet is little. True where the host has no link.
  bool has_room(const std::string& host) const;
  std::string host_of(io::LinkId link) const;  // "": of none

 private:
  struct Peer {
    std::string address;
    std::string host;                    // "": nobody's yet
    bool judged = false;                 // its claim is looked at, or was
    std::vector<wire::FromRes> waiting;  // what came meanwhile, the hello first
    std::size_t waiting_bytes = 0;
    bool answers_pings = false;
    int unanswered = 0;  // beats since it has said something
  };
  Result<void> hello(io::LinkId link, Peer& peer, const wire::FromRes& message);
  Result<void> keep_for_later(Peer& peer, const wire::FromRes& message);
  void judge(io::LinkId link, const std::string& host, const io::HostClaims::Verdict& verdict);
  Result<void> accept(io::LinkId link, Peer& peer, const wire::FromRes& message);
  void welcome(const std::string& host);
  Duration beat_time() const;
  void await_beat();
  void beat();
  void complain(const std::string& host, const std::string& address, const std::string& line);

  io::Links& links_;
  const io::Log& log_;
  std::uint64_t term_;
  Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  io::HostClaims claims_;
  boost::asio::steady_timer beat_;
  std::uint64_t pings_ = 0;
  // Told once for each, so that nobody fills the log with lies.
  std::set<std::pair<std::string, std::string>> told_;
  std::set<std::string> hosts_;
  std::unordered_map<io::LinkId, Peer> peers_;
  std::unordered_map<std::string, io::LinkId> by_host_;
};

}  // namespace rollcall::mbatchd
