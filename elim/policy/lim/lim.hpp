// Lim: one LIM: which LIM is master, what this host reports to it, and, on the master, every host's load and which host runs
// elims.
//
// A stepper: step() takes an event and returns effects; it does no I/O. The shell is elim/lim. Time is the job clock, which
// stands still while LIM was stopped. Rules: "Administering Platform LSF 7.3", master host failover; lsf.cluster(5), EXINTERVAL,
// HOST_INACTIVITY_LIMIT, MASTER_INACTIVITY_LIMIT; docs/decisions/0016.
//
// A candidate's rank is its place in LSF_MASTER_LIST (else in section Host). A smaller rank is "before", a larger one "behind".
// The master is the first living candidate. Silence is counted from a master's last message, at the start from the start.
//
//   role \ event   | peer says it is master  | peer is none              | port refuses            | silence
//   ---------------+-------------------------+---------------------------+-------------------------+----------------------
//   looking        | before us, or we are no | says who is: ask that     | ask the next candidate  | ask the next candidate
//    asks each     |  candidate: -> following|  one. Before us: it will  |                         |
//    candidate     | behind us: see (b)      |  be master: ask again     |                         |
//    before us     |                         |  in an interval           |                         |
//                  | all before us asked, none answered: all refused -> master (a)
//                  |                         the last word of a master is takeover(rank) ago -> master, whoever answered
//                  |                         a master behind us is known: it has waited already -> master (b)
//   following      | it renews               | our own master says so:   | link ends: -> looking   | inactivity(): -> looking
//                  | another, before ours:   |  -> looking               |                         |
//                  |  -> following it        |                           |                         |
//                  | ours is behind us: asks those before us every interval: (b)
//   master         | before us, and dialled: | announces itself to it    | that host is unavailable| inactivity(): that host
//    dials hosts   |  steps down, following  |                           |  at once                |  is unavailable
//    without link  | before us, announced:   |                           |                         |
//                  |  dials it, stays master |                           |                         |
//                  | behind us: announces    |                           |                         |
//
//   an Announce is a peer that says it is master. Our own master's means that it has lost our link: dial it anew.
//   (a), (b): -> master: dials every server host, announces itself, places elims as they are heard of
//
//   host \ event   | Register                | Report                    | link ends               | dial
//   ---------------+-------------------------+---------------------------+-------------------------+----------------------
//   unheard        | up                      |                           |                         | refused: unavailable
//   up             | newest connection stays,| its row of the table      | dialled at once         | refused, or inactivity():
//                  |  the other is closed    |                           |                         |  unavailable
//   unavailable    | up                      |                           |                         |
//   Register is answered with Orders; Orders follow whenever they change. Register with a LIM that is no master: closed.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "elim/policy/lim/host_table.hpp"
#include "elim/policy/lim/lim_events_and_effects.hpp"
#include "elim/policy/lim/lim_report.hpp"
#include "elim/policy/lim/lim_rules.hpp"

namespace rollcall::lim {

inline constexpr std::size_t kDialsAtOnce = 128;  // of a master: bounds the dials of a take-over
inline constexpr Duration kBreather =
    std::chrono::seconds(1);  // a link that ends sooner proves nothing: prevents a loop of dials

enum class Role { looking, following, master };

// An open connection with another LIM.
struct Peer {
  std::string host;
  bool dialled = false;                 // by us
  TimePoint heard;                      // the last message
  std::optional<HostIndex> registered;  // it reports to us on this connection
  Dictionary dictionary;                // of its reports
};

// Asking the candidates who is master: one at a time, in their order.
struct Search {
  bool active = false;
  Rank next = 0;
  bool silence = false;         // a candidate before us was silent
  bool life = false;            // a candidate before us answered
  std::string asked;            // a host that somebody named as master; asked next
  std::string hint;             // said to be master by somebody; asked next
  std::set<std::string> hints;  // followed in this search
  std::string behind;           // a master behind us is known: we need not wait
  std::optional<TimePoint> again_at;
};

// What only a master has.
struct Mastership {
  TimePoint since;
  HostTable table;
  std::vector<bool> is_shared;                                  // by resource: its values belong to instances
  std::vector<bool> available;                                  // by host: its elims can report
  Holders holders;                                              // by instance: who reports it
  std::vector<std::vector<std::uint32_t>> held;                 // by host: the same the other way round
  std::vector<SharedValue> shared;                              // by instance
  std::vector<std::optional<std::vector<ResourceId>>> ordered;  // by host: the last Orders of its connection
  std::deque<HostIndex> to_dial;
  TimePoint sweep_at;  // look for silent hosts
  TimePoint round_at;  // dial hosts without a link
};

struct Lim {
  std::shared_ptr<const LimRules> rules;
  Role role = Role::looking;
  bool started = false;
  std::map<ConnectionId, Peer> peers;
  std::set<std::string> dialling;  // each has one outcome to come
  TimePoint tidy_at;               // close what peers have left open

  // looking, following
  Search search;
  TimePoint master_heard;       // the last word of a master; at the start: the start
  std::string master;           // whom we follow; "" unless following
  ConnectionId connection = 0;  // to it
  TimePoint followed_at;        // since when
  TimePoint renew_at;           // ask whether it is there
  TimePoint report_at;

  std::optional<Mastership> mastership;  // exactly while master

  // this host
  HostFacts facts;
  OwnLoad own;
  std::vector<bool> overridden;  // by built-in index: an elim reports it
  ReportWriter writer;
  struct Lock {
    std::optional<TimePoint> until;  // none: until limunlock
    std::int64_t until_us = 0;       // the same, microseconds since 1970
  };
  std::optional<Lock> lock;
  WeekMinute wall;
  std::optional<effect::OrderMelim> melim;  // the last one

  explicit Lim(std::shared_ptr<const LimRules> r);

  // "" where nobody is known.
  const std::string& master_name() const { return role == Role::master ? rules->host : master; }
};

// What to do about an event.
Effects step(Lim& lim, const Event& event, TimePoint now);

// When step(Tick) has something to do at the latest; none: nothing is timed.
std::optional<TimePoint> next_deadline(const Lim& lim);

// What SendRegister sends.
wire::ToLim::Register registration(const Lim& lim);

// "" where the state is sound, else what is broken. For tests and fuzzers: true after every step.
std::string broken_invariant(const Lim& lim);

}  // namespace rollcall::lim
