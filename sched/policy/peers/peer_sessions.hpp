// PeerSessions: the connections with the masters of other clusters, as decisions: whom to dial and when, whom to accept, which of two
// connections stays, who is silent. A stepper: events in, steps out, which the shell (sched/mbatchd/peer_links.hpp) carries out in
// their order.
//
// It owns what is known of each peer, and no socket, key or clock: times are passed in. A connection belongs to the peer whose key
// it has proved. Each peer has one connection that serves. Of two with different diallers the one stays that was dialled by the
// cluster whose name sorts first; of two with the same dialler the one that it dialled later. So both sides keep the same one.
//
// state of a peer x event |
//   apart      tick, its time has come, it has an address -> dialling
//   dialling   opened -> greeting; ended -> apart, with the next address and a longer pause
//   dialling   ended before the handshake was over -> refused: the peer has no key for us, or another one
//   any        opened (it dialled) -> greeting beside what there is; of a cluster that is no peer -> PeerRefused, closed
//   greeting   good hello  -> serves (after Remember, where something is new)
//              bad hello   -> refused: apart with a reason, after PeerRefused
//              anything else first -> an error: the connection ends; nothing for 30 s -> it is closed
//   serves     an order whose kind the peer does not know -> Untaken
//              ping -> pong; three beats without a message -> apart; ended -> apart
// A peer that calls more than thirty times in a minute is not heard: each call may cost a commit and a line of the log.
// docs/decisions/0089.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/conf/peer_settings.hpp"
#include "sched/policy/peers/peer_identity.hpp"

namespace rollcall::sched::peers {

using LinkNumber = std::uint64_t;

namespace step {
struct Dial {
  std::string cluster;
  conf::PeerAddress address;
};
struct Say {
  LinkNumber link = 0;
  wire::PeerMessage message;
};
struct Close {
  LinkNumber link = 0;
  bool when_sent = false;
};
// Must be durable before the next steps; if it is not, those are dropped, and the shell calls not_remembered().
struct Remember {
  std::string cluster;
  std::optional<wire::PeerRow> row;  // none: forget it
  LinkNumber link = 0;
};
struct Serves {
  std::string cluster;
  LinkNumber link = 0;
};
struct Lost {
  std::string cluster;
};
// A message about forwarded jobs, from a peer that serves.
struct Heard {
  std::string cluster;
  wire::PeerMessage message;
};
// The peer's release does not know the kind of a message that was said about an attempt.
struct Untaken {
  std::string cluster;
  wire::PeerMessage::WhatCase kind = wire::PeerMessage::WHAT_NOT_SET;
  wire::ForwardAttempt attempt;
};
struct Tell {
  bool warning = false;
  std::string line;
};
}  // namespace step
using Step = std::variant<step::Dial, step::Say, step::Close, step::Remember, step::Serves, step::Lost,
                          step::Heard, step::Untaken, step::Tell>;
using Steps = std::vector<Step>;

// left_out: not in lsf.shared or RemoteClusters, and connected before.
enum class PeerState { no_key, apart, refused, serves, left_out };

// For badmin showstatus and bclusters.
struct PeerStanding {
  std::string cluster;
  PeerState state = PeerState::apart;
  std::string why;         // of `apart` and `refused`: the last reason
  std::string version;     // of `serves`
  std::uint64_t term = 0;  // ... and what its mbatchd's is
};

// Why the message does not fit into a frame of the conversation; none: it does.
std::optional<std::string> too_large(const wire::PeerMessage& message);

class PeerSessions {
 public:
  explicit PeerSessions(OwnIdentity own) : own_(std::move(own)) {}

  // What the store has of a peer; before the first configure().
  void known(const std::string& cluster, wire::PeerRow row);
  // The files in force. `with_key`: clusters for which there is a key.
  Steps configure(const conf::PeerSettings& settings, const std::vector<std::string>& with_key,
                  TimePoint now);

  // A connection has proved that it is of this cluster. `dialled`: by us.
  Steps opened(LinkNumber link, const std::string& cluster, bool dialled, TimePoint now);
  Result<Steps> message(LinkNumber link, const wire::PeerMessage& message, TimePoint now);
  // Also of a dial that failed: then `link` was never opened. `turned_away`: the peer accepted a dial of ours, and closed it before
  // the handshake was over.
  Steps ended(LinkNumber link, const std::string& cluster, const std::string& why, bool turned_away,
              TimePoint now);
  // A message about forwarded jobs, to a peer that serves; none: it does not.
  std::optional<step::Say> say(const std::string& cluster, wire::PeerMessage message);
  Steps not_remembered(LinkNumber link, const std::string& why, TimePoint now);
  // "": it may be forgotten. A cluster that serves has nothing to be given up.
  std::string why_not_forget(const std::string& cluster) const;
  // An administrator's word that what the peer's lost store knew is given up. False in `second`: no such peer.
  std::pair<Steps, bool> forget(const std::string& cluster, TimePoint now);

  Steps tick(TimePoint now);
  // When tick() has something to do; none: never.
  std::optional<TimePoint> next_deadline() const;

  std::vector<PeerStanding> standings() const;

 private:
  struct Sent {
    std::uint64_t number = 0;
    wire::PeerMessage::WhatCase kind = wire::PeerMessage::WHAT_NOT_SET;
    wire::ForwardAttempt attempt;
  };
  struct Link {
    std::string cluster;
    bool dialled = false;
    bool greeted = false;
    TimePoint greets_until;                        // its hello is due
    std::pair<std::uint64_t, std::uint64_t> call;  // the dialler's term, and its number of the call
    int unanswered = 0;                            // beats since its last message
    std::uint64_t said = 0;
    std::deque<Sent> orders;  // the last ones, for a peer that does not know their kind
    bool older = false;       // it has said so of another message
  };
  struct Peer {
    conf::PeerCluster settings;
    bool has_key = false;
    std::optional<wire::PeerRow> row, row_before;  // as remembered, and before the last Remember
    std::optional<LinkNumber> serves;
    bool dialling = false;
    std::size_t next_address = 0;
    int failures = 0;  // in a row
    TimePoint next_dial;
    TimePoint next_beat;
    bool refused = false;
    std::string why, version;
    std::set<std::string> told;  // reasons that the log has since the peer served last
    // Its calls of the minute that began then.
    TimePoint minute;
    int calls = 0;
  };
  bool calls_too_often(Peer& peer, TimePoint now) const;
  wire::PeerMessage numbered(Link& link);
  Steps unsupported(Link& link, std::uint64_t number) const;
  Result<Steps> hello(LinkNumber number, Link& link, const wire::PeerHello& hello, TimePoint now);
  bool stays(const Link& older, const Link& newer) const;
  void apart(Peer& peer, std::string why, bool refused, TimePoint now);
  Steps not_reached(Peer& peer, const std::string& why) const;
  void drop(LinkNumber link, Steps& steps);
  void drop_silent(TimePoint now, Steps& steps);

  OwnIdentity own_;
  std::map<std::string, wire::PeerRow> known_;  // of clusters that are no peers now
  std::map<std::string, Peer> peers_;
  std::map<LinkNumber, Link> links_;
  std::uint64_t calls_ = 0;  // of ours
};

}  // namespace rollcall::sched::peers
