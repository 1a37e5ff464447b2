// ResLinks: the connections of the hosts' RES: the host of each, sending, receiving.
//
// It owns the table from host to link and back. A host is one that lsf.cluster has as a server, or was, while attempts are on it
// (docs/decisions/0113). A holder of the cluster's key is a daemon; it names its host once, in its ResHello,
// which is accepted if the call comes from an address of that host (common/io/host_claims.hpp, docs/decisions/0021). A host has
// one connection at a time. ResEngine knows what the messages mean.
//
// state x message  | ResHello of a host of the cluster           | any other FromRes
//   new            | judged, beside the loop                     | offence: the link ends
//   judged         | offence: the link ends                      | kept, until it is
//     good         | the host's link (an older one from the same | told
//                  | address goes; from another: refused)        |
//     foreign      | refused                                     | -
//   the host's     | offence: the link ends                      | told
//
// A RES that is stopped keeps its TCP connection, since the kernel answers for it. So mbatchd sends a Ping to each host at every
// beat, a third of SBD_SLEEP_TIME; after three beats without a message the host is silent, and its link ends. Beats are counted,
// not seconds: time in which mbatchd itself was stopped does not count. For a RES that knows no Ping only TCP decides.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
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
#include "sched/policy/values/job.hpp"

namespace rollcall::mbatchd {

class ResLinks {
 public:
  struct Handler {
    std::function<void(const std::string& host, const wire::FromRes&)>
        said;  // ResHello too; `send` works from then on
    // `silent`: how long nothing was heard of it before.
    std::function<void(const std::string& host, Duration silent)> lost;
    // The host is there and has had orders of another store: why it is refused, for people. Called at each attempt.
    std::function<void(const std::string& host, const std::string& why)> not_ours;
    // EngineSetup::has_attempts; empty: a host that is no server is refused.
    std::function<bool(const std::string& host, const std::optional<std::vector<sched::JobKey>>& held)>
        has_attempts;
  };
  ResLinks(boost::asio::io_context& loop, io::Links& links, const io::Log& log, std::uint64_t term,
           Handler handler);

  // Closes the links of hosts that are no longer servers of the cluster and have no attempts, and sends the others their settings.
  void configure(std::shared_ptr<const Configuration> configuration);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  bool has(io::LinkId link) const { return peers_.count(link) != 0; }
  Result<void> message(io::LinkId link, const wire::FromRes& message);
  void ended(io::LinkId link);
  // Closes the link of a host that is no server any more, behind what was sent.
  void let_go(const std::string& host);

  // Puts our term in. False where the host has no link.
  bool send(const std::string& host, wire::ToRes order);
  bool connected(const std::string& host) const { return by_host_.count(host) != 0; }
  // The host has read most of what was sent. True if the host has no link.
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
  bool is_heard(const wire::FromRes::ResHello& hello) const;
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
  // Logged once for each, so that false claims cannot fill the log.
  std::set<std::pair<std::string, std::string>> told_;
  std::set<std::string> hosts_;
  std::unordered_map<io::LinkId, Peer> peers_;
  std::unordered_map<std::string, io::LinkId> by_host_;
};

}  // namespace rollcall::mbatchd
