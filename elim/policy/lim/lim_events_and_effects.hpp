// LimEvent and LimEffect: what can happen to a LIM, and what its stepper (lim.hpp) can order.
//
// Events are past tense, effects are imperatives. Both are plain values with a one-line text form that logs and tests share. The
// shell numbers connections; a number is never used again.
//
// What the shell promises:
//   * every Dial has exactly one outcome, DialFailed or PeerAnswered, within its own patience (PROBE_TIMEOUT): a
//     connection that ends, or is silent, before its PeerWelcome came is a DialFailed;
//   * PeerAccepted comes first of a connection's events, after the peer has proved that it is a daemon of this cluster and has
//     sent PeerHello;
//   * a connection that ends by itself after PeerAccepted or PeerAnswered gives one LinkEnded; after CloseLink it gives no more
//     events. CloseLink closes when everything was sent;
//   * events of one connection come in the order of its messages, effects are carried out in the order given.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/time_windows.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::lim {

struct LimRules;  // lim_rules.hpp

using ConnectionId = std::uint64_t;

namespace event {

struct Started {};

// --- connections

// A daemon of the cluster dialled us and said hello.
struct PeerAccepted {
  ConnectionId connection = 0;
  std::string host;  // official name
  std::string run;   // of that LIM: 16 random bytes
};
// A LIM that we dialled said welcome.
struct PeerAnswered {
  ConnectionId connection = 0;
  std::string host;  // as in Dial
  std::string run;
  bool master = false;      // it is the master
  std::string master_name;  // whom it follows; empty: nobody
};
struct DialFailed {
  std::string host;
  bool refused = false;  // the host lives and nobody listens there; else: silence
};
struct LinkEnded {
  ConnectionId connection = 0;
};
// --- what peers say
struct HostRegistered {  // Register
  ConnectionId connection = 0;
  HostFacts facts;
  std::string configuration;  // digest of the files it runs with
};
struct HostReported {  // Report
  ConnectionId connection = 0;
  wire::ToLim::Report report;
};
struct MasterAnnounced {  // Announce: the peer of this connection is master
  ConnectionId connection = 0;
};
struct RenewAsked {  // Renew: is this connection alive, and are we still master?
  ConnectionId connection = 0;
};
struct PeerRenewed {  // a further PeerWelcome on a connection that we dialled
  ConnectionId connection = 0;
  bool master = false;
  std::string master_name;
};
struct OrdersArrived {  // Orders
  ConnectionId connection = 0;
  std::vector<std::string> resources;
};

// --- this host

struct LoadSampled {
  std::array<float, kBuiltInIndices> values{};  // raw run queues; kUnknownLoad where it cannot be read
  WeekMinute wall;                              // for run windows
  bool res_down = false;                        // RES has run on this host, and does not now
};
struct ElimsReported {
  wire::MelimReport report;
};
// MELIM ended or was ended; the shell starts another one with the last orders.
struct MelimLost {
  std::string how;  // "killed by signal 9"
};
struct LockAsked {
  std::uint32_t seconds = 0;  // 0: until UnlockAsked
  std::int64_t until_us = 0;  // the same as microseconds since 1970, for display; 0: for ever
};
struct UnlockAsked {};
// LIM has detected its own host's facts; at the start, and whenever they changed.
struct FactsFound {
  HostFacts facts;  // with what the files say
};
// New files are in force.
struct Reconfigured {
  std::shared_ptr<const LimRules> rules;
};
// lsplace has chosen hosts: their load is raised for ADJUST_DURATION.
struct PlacementMade {
  struct Chosen {
    std::string host;
    std::uint32_t slots = 1;
  };
  std::vector<Chosen> hosts;
};
// Time has passed.
struct Tick {};

}  // namespace event

using Event =
    std::variant<event::Started, event::PeerAccepted, event::PeerAnswered, event::DialFailed,
                 event::LinkEnded, event::HostRegistered, event::HostReported, event::MasterAnnounced,
                 event::RenewAsked, event::PeerRenewed, event::OrdersArrived, event::LoadSampled,
                 event::ElimsReported, event::MelimLost, event::LockAsked, event::UnlockAsked,
                 event::FactsFound, event::Reconfigured, event::PlacementMade, event::Tick>;

namespace effect {

// Connect to the LIM of a host, prove ourselves, send PeerHello.
struct Dial {
  std::string host;
};
struct CloseLink {
  ConnectionId connection = 0;
};
// PeerWelcome, on a connection that a peer dialled: after its hello, and for each Renew.
struct Welcome {
  ConnectionId connection = 0;
  bool master = false;
  std::string master_name;  // empty: nobody
};
// Register with registration() of lim.hpp: this host's facts. The connection's dictionary of indices starts anew.
struct SendRegister {
  ConnectionId connection = 0;
};
struct SendReport {
  ConnectionId connection = 0;
  wire::ToLim::Report report;
};
struct SendAnnounce {
  ConnectionId connection = 0;
};
struct SendRenew {
  ConnectionId connection = 0;
};
struct SendOrders {
  ConnectionId connection = 0;
  std::vector<std::string> resources;
};
// What MELIM is to run elims for; without resources it runs none. `master` is LSF_MASTER.
struct OrderMelim {
  std::vector<std::string> resources;
  bool master = false;
};
// One line for the log.
struct Note {
  enum class Severity { debug, info, warning };
  Severity severity = Severity::info;
  std::string text;
};

}  // namespace effect

using Effect = std::variant<effect::Dial, effect::CloseLink, effect::Welcome, effect::SendRegister,
                            effect::SendReport, effect::SendAnnounce, effect::SendRenew, effect::SendOrders,
                            effect::OrderMelim, effect::Note>;
using Effects = std::vector<Effect>;

std::string text(const Event& event);
std::string text(const Effect& effect);

}  // namespace rollcall::lim
