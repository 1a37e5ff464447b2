// TerminalClients: the programs here that have the terminal of a job in another cluster (bsub -I), as decisions: when the other cluster
// is told that one is gone. A stepper; times are passed in.
//
// A client is known from its first question for output until that was answered with the end. A client whose connection ends may only
// have lost it: it has three seconds to ask again.
//
//   state \ event | asks          | its link ends | the end was answered | time passes
//   --------------+---------------+---------------+----------------------+-------------------------
//   unknown       | present       | -             | -                    | -
//   present       | present       | away          | unknown              | -
//   away          | present       | -             | unknown              | due: unknown, TERMINAL_END
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::sched::peers {

inline constexpr std::size_t kMostTerminals = 256;  // of one other cluster, in each direction

struct ClientOfTerminal {
  std::string cluster;
  Attempt attempt;
  std::uint64_t terminal = 0;
  friend auto operator<=>(const ClientOfTerminal&, const ClientOfTerminal&) = default;
};

class TerminalClients {
 public:
  static constexpr Duration kComesAgain = std::chrono::seconds(3);

  // False: the other cluster's terminals have too many clients.
  bool asks(const ClientOfTerminal& client, std::uint64_t link, const std::string& user);
  void link_ends(std::uint64_t link, TimePoint now);
  void end_answered(const ClientOfTerminal& client);
  void cluster_lost(const std::string& cluster);

  struct Gone {
    ClientOfTerminal client;
    std::string user;
  };
  std::vector<Gone> due(TimePoint now);
  std::optional<TimePoint> next() const;

 private:
  struct Client {
    std::string user;
    std::uint64_t link = 0;
    std::optional<TimePoint> away_until;
  };
  std::size_t of(const std::string& cluster) const;

  std::map<ClientOfTerminal, Client> clients_;
};

}  // namespace rollcall::sched::peers
