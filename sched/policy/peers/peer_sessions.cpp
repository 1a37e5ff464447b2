#include "sched/policy/peers/peer_sessions.hpp"

#include <algorithm>
#include <utility>

#include "common/wire/frame.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr Duration kBeat = std::chrono::seconds(10);
constexpr int kBeats = 3;                                 // without a message: the peer is silent
constexpr Duration kGreeting = std::chrono::seconds(30);  // from a connection to its hello
constexpr Duration kShortestPause = std::chrono::seconds(1);
constexpr Duration kLongestPause = std::chrono::seconds(30);
constexpr Duration kMinute = std::chrono::minutes(1);
constexpr int kMostCalls = 30;  // of a peer, accepted in a minute
constexpr std::size_t kMostOrders = 10'000;
constexpr std::size_t kMostReasons = 8;  // lines of the log about a peer that is not reached
constexpr const char* kNoAddress = "lsf.shared names no Servers of it, and ROLLCALL_PEERS has no address";

// Doubles from dial to dial.
Duration pause(int failures) {
  Duration pause = kShortestPause;
  for (int i = 1; i < failures && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

bool about_jobs(const wire::PeerMessage& message) {
  using What = wire::PeerMessage::WhatCase;
  switch (message.what_case()) {
    case What::kHeld:
    case What::kState:
    case What::kOver:
    case What::kFigures:
    case What::kOffer:
    case What::kSignal:
    case What::kRecall:
    case What::kAcknowledge:
    case What::kPiece:
    case What::kPieceRead:
    case What::kApplications:
    case What::kDefinitions:
    case What::kLeaseStands:
    case What::kLeaseOver:
    case What::kLeaseAnswer:
    case What::kLeasesTold:
    case What::kLeaseLoads:
      return true;
    default:
      return false;
  }
}

// nullptr: the message is no order about an attempt.
const wire::ForwardAttempt* attempt_of_order(const wire::PeerMessage& message) {
  using What = wire::PeerMessage::WhatCase;
  switch (message.what_case()) {
    case What::kOffer:
      return &message.offer().attempt();
    case What::kSignal:
      return &message.signal().attempt();
    case What::kRecall:
      return &message.recall().attempt();
    default:
      return nullptr;
  }
}

}  // namespace

void PeerSessions::known(const std::string& cluster, wire::PeerRow row) { known_[cluster] = std::move(row); }

Steps PeerSessions::configure(const conf::PeerSettings& settings, const std::vector<std::string>& with_key,
                              TimePoint now) {
  Steps steps;
  std::map<std::string, Peer> before = std::exchange(peers_, {});
  for (const auto& [name, peer] : before)
    if (peer.row && settings.cluster(name) == nullptr) known_[name] = *peer.row;
  for (const conf::PeerCluster& cluster : settings.clusters) {
    Peer peer;
    const auto old = before.find(cluster.name);
    if (old != before.end()) peer = std::move(old->second);
    peer.settings = cluster;
    peer.has_key = std::find(with_key.begin(), with_key.end(), cluster.name) != with_key.end();
    peer.next_address = 0;
    peer.failures = 0;
    peer.next_dial = now;
    if (const auto row = known_.extract(cluster.name); !row.empty()) peer.row = std::move(row.mapped());
    peers_.emplace(cluster.name, std::move(peer));
  }
  for (auto& [name, peer] : peers_)
    if (!peer.has_key && peer.told.insert("no key").second)
      steps.push_back(step::Tell{true, "there is no key for cluster " + name +
                                           ", so it is not connected: lsf_daemons peerkey " + name +
                                           " makes one for both clusters"});
    else if (peer.has_key && !peer.serves && peer.settings.lacks_address())
      for (auto& tell : not_reached(peer, kNoAddress)) steps.push_back(std::move(tell));
  std::vector<LinkNumber> gone;
  for (const auto& [number, link] : links_)
    if (peers_.count(link.cluster) == 0) gone.push_back(number);
  for (const LinkNumber number : gone) {
    steps.push_back(step::Tell{
        false, "cluster " + links_.at(number).cluster + " is no peer any more: its connection is closed"});
    if (before[links_.at(number).cluster].serves == number)
      steps.push_back(step::Lost{links_.at(number).cluster});
    drop(number, steps);
  }
  return steps;
}

bool PeerSessions::calls_too_often(Peer& peer, TimePoint now) const {
  if (now - peer.minute >= kMinute) {
    peer.minute = now;
    peer.calls = 0;
  }
  return ++peer.calls > kMostCalls;
}

Steps PeerSessions::opened(LinkNumber number, const std::string& cluster, bool dialled, TimePoint now) {
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end()) {
    wire::PeerMessage refused;
    refused.set_number(1);
    refused.mutable_refused()->set_why("cluster " + cluster + " is not in lsf.shared of cluster " +
                                       own_.cluster + ", or left out of its RemoteClusters");
    return {
        step::Tell{true,
                   "cluster " + cluster +
                       " calls, and is no peer: found it not in lsf.shared, or left out of RemoteClusters"},
        step::Say{number, std::move(refused)}, step::Close{number, true}};
  }
  if (dialled) {
    peer->second.dialling = false;
    peer->second.next_dial = now + kGreeting;
  }
  if (!dialled && calls_too_often(peer->second, now)) {
    Steps steps{step::Close{number}};
    if (peer->second.calls == kMostCalls + 1)
      steps.push_back(step::Tell{true, "cluster " + cluster + " calls more than " +
                                           std::to_string(kMostCalls) +
                                           " times in a minute: further calls of it are closed"});
    return steps;
  }
  Link& link = links_[number];
  link.cluster = cluster;
  link.dialled = dialled;
  link.greets_until = now + kGreeting;
  auto message = numbered(link);
  *message.mutable_hello() = hello_of(own_);
  if (dialled) {
    link.call = {own_.row.term(), ++calls_};
    message.mutable_hello()->set_call(calls_);
  }
  return {step::Say{number, std::move(message)}};
}

wire::PeerMessage PeerSessions::numbered(Link& link) {
  wire::PeerMessage message;
  message.set_number(++link.said);
  return message;
}

std::optional<std::string> too_large(const wire::PeerMessage& message) {
  constexpr std::size_t kMost = wire::kFrameLimit - 256;  // less its number, and the seal
  const std::size_t size = message.ByteSizeLong();
  if (size <= kMost) return std::nullopt;
  return "the message for the other cluster has " + std::to_string(size) + " bytes, expected at most " +
         std::to_string(kMost);
}

std::optional<step::Say> PeerSessions::say(const std::string& cluster, wire::PeerMessage message) {
  const auto peer = peers_.find(cluster);
  if (peer == peers_.end() || !peer->second.serves) return std::nullopt;
  const LinkNumber number = *peer->second.serves;
  Link& link = links_.at(number);
  message.set_number(++link.said);
  if (const auto* attempt = attempt_of_order(message)) {
    link.orders.push_back({message.number(), message.what_case(), *attempt});
    if (link.orders.size() > kMostOrders) link.orders.pop_front();
  }
  return step::Say{number, std::move(message)};
}

Steps PeerSessions::unsupported(Link& link, std::uint64_t number) const {
  for (const Sent& sent : link.orders)
    if (sent.number == number) return {step::Untaken{link.cluster, sent.kind, sent.attempt}};
  if (std::exchange(link.older, true)) return {};
  return {
      step::Tell{true, "cluster " + link.cluster + " does not know a kind of message: its release is older"}};
}

Result<Steps> PeerSessions::message(LinkNumber number, const wire::PeerMessage& message, TimePoint now) {
  const auto found = links_.find(number);
  if (found == links_.end()) return Steps{};
  Link& link = found->second;
  link.unanswered = 0;
  using What = wire::PeerMessage::WhatCase;
  if (message.what_case() == What::kRefused) {
    const std::string why = "it refuses us: " + plain_words(message.refused().why());
    Steps steps{step::Tell{true, "cluster " + link.cluster + ": " + why}};
    Peer& peer = peers_.at(link.cluster);
    const bool served = peer.serves == number;
    drop(number, steps);
    if (served) steps.push_back(step::Lost{peer.settings.name});
    if (served || !peer.serves) apart(peer, why, true, now);
    return steps;
  }
  if (message.what_case() == What::kHello) return hello(number, link, message.hello(), now);
  if (!link.greeted)
    return internal_error("found another message of cluster " + link.cluster +
                          " before its PeerHello, expected that first");
  if (message.what_case() == What::kPong) return Steps{};
  if (message.what_case() == What::kUnsupported) return unsupported(link, message.unsupported().number());
  if (about_jobs(message)) {
    if (peers_.at(link.cluster).serves != number) return Steps{};
    return Steps{step::Heard{link.cluster, message}};
  }
  auto answer = numbered(link);
  if (message.what_case() == What::kPing)
    answer.mutable_pong();
  else
    answer.mutable_unsupported()->set_number(message.number());
  return Steps{step::Say{number, std::move(answer)}};
}

// Both sides come to the same end: see the header.
bool PeerSessions::stays(const Link& older, const Link& newer) const {
  if (older.dialled == newer.dialled) return older.call > newer.call;
  const bool first_dialled_older = older.dialled == (own_.cluster < older.cluster);
  return first_dialled_older;
}

Result<Steps> PeerSessions::hello(LinkNumber number, Link& link, const wire::PeerHello& hello,
                                  TimePoint now) {
  if (link.greeted)
    return internal_error("found a second PeerHello of cluster " + link.cluster + ", expected one");
  if (auto checked = check_hello(hello, link.cluster); !checked) return checked.error();
  Peer& peer = peers_.at(link.cluster);
  Steps steps;
  if (const auto why = refusal_of(hello, peer.row ? &*peer.row : nullptr, own_)) {
    auto refused = numbered(link);
    refused.mutable_refused()->set_why(*why);
    steps = {step::Tell{true, "refused a connection: " + *why}, step::Say{number, std::move(refused)},
             step::Close{number, true}};
    links_.erase(number);
    if (!peer.serves) apart(peer, *why, true, now);
    return steps;
  }
  link.greeted = true;
  if (!link.dialled) link.call = {hello.term(), hello.call()};
  if (peer.serves) {
    const LinkNumber other = *peer.serves;
    if (stays(links_.at(other), link)) {
      drop(number, steps);
      return steps;
    }
    drop(other, steps);
  }
  if (const auto row = row_of(hello); !peer.row || !same(*peer.row, row)) {
    peer.row_before = std::exchange(peer.row, row);
    steps.push_back(step::Remember{link.cluster, row, number});
  }
  const bool is_new = !peer.serves;
  peer.serves = number;
  peer.refused = false;
  peer.failures = 0;
  peer.why.clear();
  peer.told.clear();
  peer.version = hello.version();
  peer.next_beat = now + kBeat;
  steps.push_back(step::Serves{link.cluster, number});
  if (is_new)
    steps.push_back(
        step::Tell{false, "cluster " + link.cluster + " is connected, term " + std::to_string(hello.term())});
  return steps;
}

void PeerSessions::apart(Peer& peer, std::string why, bool refused, TimePoint now) {
  peer.serves.reset();
  peer.refused = refused;
  peer.why = std::move(why);
  peer.next_dial = now + (refused ? kLongestPause : pause(++peer.failures));
}

void PeerSessions::drop(LinkNumber link, Steps& steps) {
  links_.erase(link);
  steps.push_back(step::Close{link});
}

// The log has each reason once until the peer serves again.
Steps PeerSessions::not_reached(Peer& peer, const std::string& why) const {
  if (peer.told.size() >= kMostReasons || !peer.told.insert(why).second) return {};
  return {step::Tell{true, "cluster " + peer.settings.name + " is not reached: " + why}};
}

Steps PeerSessions::ended(LinkNumber number, const std::string& cluster, const std::string& why,
                          bool turned_away, TimePoint now) {
  const auto found = peers_.find(cluster);
  const auto link = links_.extract(number);
  const bool called_us = !link.empty() && !link.mapped().dialled;
  if (found == peers_.end()) return {};
  Peer& peer = found->second;
  if (peer.serves == number) {
    apart(peer, why, false, now);
    return {step::Lost{cluster},
            step::Tell{true, "cluster " + cluster + " is not connected any more: " + why}};
  }
  if (called_us) return {};  // says nothing of a dial of ours
  if (peer.serves) {
    peer.dialling = false;
    return {};
  }
  if (std::exchange(peer.dialling, false) && ++peer.next_address >= peer.settings.addresses.size())
    peer.next_address = 0;
  const std::string reason = turned_away
                                 ? "it does not take our call: it has no key for cluster " + own_.cluster +
                                       ", or another one, or leaves that cluster out of its lsf.shared or "
                                       "RemoteClusters; both clusters "
                                       "need the same file in ROLLCALL_PEER_KEYS (" +
                                       why + ")"
                                 : why;
  Steps steps = not_reached(peer, reason);
  apart(peer, reason, false, now);
  peer.refused =
      turned_away;  // dialled again as soon as a peer that is not reached: it may only have been ending
  return steps;
}

Steps PeerSessions::not_remembered(LinkNumber number, const std::string& why, TimePoint now) {
  const auto found = links_.find(number);
  if (found == links_.end()) return {};
  const std::string cluster = found->second.cluster;
  Peer& peer = peers_.at(cluster);
  peer.row = peer.row_before;
  Steps steps{step::Lost{cluster}};
  drop(number, steps);
  apart(peer, why, false, now);
  return steps;
}

std::string PeerSessions::why_not_forget(const std::string& cluster) const {
  const auto found = peers_.find(cluster);
  if (found == peers_.end() && !known_.contains(cluster)) return "no cluster " + cluster + " is known here";
  if (found != peers_.end() && found->second.serves)
    return "cluster " + cluster + " is connected: its store is taken as it is already";
  return "";
}

std::pair<Steps, bool> PeerSessions::forget(const std::string& cluster, TimePoint now) {
  const auto found = peers_.find(cluster);
  if (known_.erase(cluster) == 0 && found == peers_.end()) return {{}, false};
  Steps steps{step::Remember{cluster, std::nullopt, 0}};
  if (found == peers_.end()) return {steps, true};
  Peer& peer = found->second;
  peer.row.reset();
  peer.refused = false;
  peer.failures = 0;
  peer.next_dial = now;
  return {steps, true};
}

// Connections that have not said hello in time.
void PeerSessions::drop_silent(TimePoint now, Steps& steps) {
  std::vector<LinkNumber> silent;
  for (const auto& [number, link] : links_)
    if (!link.greeted && link.greets_until <= now) silent.push_back(number);
  for (const LinkNumber number : silent) {
    const Link& link = links_.at(number);
    Peer& peer = peers_.at(link.cluster);
    if (link.dialled && !peer.serves) {
      const std::string why = "it is connected and does not say hello";
      for (auto& tell : not_reached(peer, why)) steps.push_back(std::move(tell));
      apart(peer, why, false, now);
    }
    drop(number, steps);
  }
}

Steps PeerSessions::tick(TimePoint now) {
  Steps steps;
  drop_silent(now, steps);
  for (auto& [name, peer] : peers_) {
    if (!peer.serves) {
      if (!peer.has_key || peer.dialling || peer.settings.addresses.empty() || peer.next_dial > now) continue;
      peer.dialling = true;
      steps.push_back(step::Dial{name, peer.settings.addresses[peer.next_address]});
      continue;
    }
    if (peer.next_beat > now) continue;
    peer.next_beat = now + kBeat;
    const LinkNumber number = *peer.serves;
    Link& link = links_.at(number);
    if (link.unanswered++ < kBeats) {
      auto ping = numbered(link);
      ping.mutable_ping();
      steps.push_back(step::Say{number, std::move(ping)});
      continue;
    }
    drop(number, steps);
    apart(peer, "it is connected and does not answer", false, now);
    steps.push_back(step::Lost{name});
    steps.push_back(
        step::Tell{true, "cluster " + name + " is connected and does not answer: it counts as gone"});
  }
  return steps;
}

std::optional<TimePoint> PeerSessions::next_deadline() const {
  std::optional<TimePoint> next;
  const auto at = [&](TimePoint time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& [number, link] : links_)
    if (!link.greeted) at(link.greets_until);
  for (const auto& [name, peer] : peers_)
    if (peer.serves)
      at(peer.next_beat);
    else if (peer.has_key && !peer.dialling && !peer.settings.addresses.empty())
      at(peer.next_dial);
  return next;
}

std::vector<PeerStanding> PeerSessions::standings() const {
  std::vector<PeerStanding> standings;
  for (const auto& [name, peer] : peers_) {
    PeerStanding& standing = standings.emplace_back();
    standing.cluster = name;
    standing.state = peer.serves     ? PeerState::serves
                     : !peer.has_key ? PeerState::no_key
                     : peer.refused  ? PeerState::refused
                                     : PeerState::apart;
    if (!peer.serves)
      standing.why = peer.why.empty() && peer.settings.lacks_address() ? kNoAddress : peer.why;
    if (!peer.serves) continue;
    standing.version = peer.version;
    standing.term = peer.row ? peer.row->term() : 0;
  }
  for (const auto& [name, row] : known_) standings.push_back({name, PeerState::left_out, "", "", 0});
  return standings;
}

}  // namespace rollcall::sched::peers
