// PeerLinks: the connections with masters of other clusters. Carries out what PeerSessions decides: dials, sends, closes, remembers.
//
// It owns the keys with which peers are dialled, and this cluster's identity, which the store has. A peer's row is committed by itself,
// outside a turn: it changes only when the peer's mbatchd starts. Rules: sched/policy/peers/peer_sessions.hpp.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "common/conf/peer_settings.hpp"
#include "common/io/job_store.hpp"
#include "common/io/links.hpp"
#include "common/io/log.hpp"
#include "sched/policy/peers/peer_sessions.hpp"

namespace rollcall::mbatchd {

class PeerLinks {
 public:
  struct Handler {
    // Also where another connection takes the place of the one that served.
    std::function<void(const std::string&cluster)> serves, lost;
    // A message about jobs. An error ends the connection.
    std::function<Result<void>(const std::string& cluster, const wire::PeerMessage&)> heard;
    std::function<void(const sched::peers::step::Untaken&)> untaken;
  };
  PeerLinks(boost::asio::io_context& loop, io::Links& links, io::JobStore& store, io::Log& log,
            std::map<std::string, io::PeerKey> dials, std::map<std::string, std::string> key_errors,
            Handler handler)
      : links_(links),
        store_(store),
        log_(log),
        dials_(std::move(dials)),
        key_errors_(std::move(key_errors)),
        handler_(std::move(handler)),
        timer_(loop) {}

  // A row of the store, before begin(). False: it is of something else.
  bool load(const io::StoredControl& row);
  // Makes the identity of a new store; an error where it cannot be kept.
  Result<void> begin(const std::string& cluster);
  void configure(const conf::PeerSettings& settings);

  void opened(io::LinkId link, const io::LinkPeer& peer);
  bool has(io::LinkId link) const { return clusters_.count(link) != 0; }
  Result<void> message(io::LinkId link, std::string_view payload);
  void ended(io::LinkId link, io::LinkEnd how, const std::string& why);

  // To a peer that serves. False: it does not.
  bool say(const std::string& cluster, wire::PeerMessage message);

  // Why badmin hforget @CLUSTER is refused; "": it is not.
  std::string why_not_forget(const std::string& cluster) const { return sessions_->why_not_forget(cluster); }
  // badmin hforget @CLUSTER. The text for the administrator; false in `second`: it is refused.
  std::pair<std::string, bool> forget(const std::string& cluster);
  // For bclusters: ok, disc, or reject where either side refuses the other or has no key for it; and the reason, "" of ok.
  std::pair<std::string, std::string> condition(const std::string& cluster) const;
  // Peers, and clusters that were some.
  std::set<std::string> clusters() const;
  // For badmin showstatus, in one line.
  std::string status_of(const std::string& cluster) const;

 private:
  void carry_out(const sched::peers::Steps& steps);
  bool remember(const sched::peers::step::Remember& row);
  std::string no_key(const std::string& cluster) const;
  void arm();

  io::Links& links_;
  io::JobStore& store_;
  io::Log& log_;
  std::map<std::string, io::PeerKey> dials_;
  std::map<std::string, std::string> key_errors_;  // by cluster
  const Handler handler_;
  boost::asio::steady_timer timer_;
  wire::PeerRow own_;
  bool own_is_damaged_ = false;
  std::map<std::string, wire::PeerRow> loaded_;
  std::unique_ptr<sched::peers::PeerSessions> sessions_;
  std::unordered_map<io::LinkId, std::string> clusters_;  // also of links that are being dialled
};

}  // namespace rollcall::mbatchd
