// HostLedger: hosts and the attempts on them: what the plan places, what the engine reports, which hosts are there, and what each
// host is told. The scheduler and the engine's side of mbatchd have it; clients never do.
//
// A view of the Book's Memory, which outlives it.
//
//   a host says         | the Book believes                   | what is done
//   --------------------+-------------------------------------+--------------------------------------------------------
//   it holds attempt a  | the job runs there as attempt a     | HostBack(held): signals since are sent again
//   it holds nothing    | the job runs there as attempt a     | HostBack(none): not started: its start is ordered again;
//                       |                                     |  started: it is over (never_seen)
//   it holds attempt a  | over, removed, unknown, another one | over: nothing, its Over will be acknowledged; a first
//                       |                                     |  host: KILL; another host: release
//   Over of a           | not (or no longer) running as a     | acknowledged
//   it has the order of | the job starts there as attempt a   | HostBack(prepared): its go-ahead is given again, or withheld
//     attempt a alone   |                                     |  until the other hosts have the order
//                       | another one, or none                | release
//   Over of a, success  | a was given up with the host, and   | the job has ended so
//                       |  its rerun pends                    |
//   it has gone         |                                     | attempts without go-ahead are taken back at once; after the
//                       |                                     |  patience HostLost for the jobs that it runs first
// The patience is counted over short connections: only one that lasts SBD_SLEEP_TIME ends it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/job_clock.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::book {

// Reads what the Book does not keep: the submission with its payload (stored_payload.hpp). None: it cannot be read.
using ReadWhole = std::function<std::shared_ptr<const wire::Submission>(
    const std::shared_ptr<const wire::Submission>& asked)>;

class HostLedger {
 public:
  HostLedger(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  HostLedger(const HostLedger&) = delete;
  HostLedger& operator=(const HostLedger&) = delete;

  // ---------------------------------------------------------------- the plan

  // A job that is no longer what the plan was made for is skipped.
  Effects dispatch(JobKey key, const event::Dispatched& plan, WallTime now);
  Effects suspend(JobKey key, std::uint32_t reasons, const std::string& why, WallTime now);
  Effects resume(JobKey key, WallTime now);
  // Of every host that is known: for the placements of brun.
  void cpu_factors(std::unordered_map<HostId, double> factors);

  // ---------------------------------------------------------------- what is heard

  // What the engine reports of a host, by its official name (engine.hpp). HostCame: it counts as connected from now on.
  Effects host_told(const std::string& host, const HostReport& report, WallTime now);
  // `silent`: for how long nothing had been heard of it.
  Effects host_gone(const std::string& host, WallTime now, Duration silent = {});
  // The host that mbatchd is on: that it is reached says nothing of the network.
  void set_own_host(std::string host);

  bool connected(const std::string& host) const;
  // Why it could not take the last order for a job; "": it took it.
  std::string trouble(const std::string& host) const;
  // What jobs that are over have left there and an administrator has to remove, one line; "": nothing.
  std::string left_behind(const std::string& host) const;
  // Why a host that is there is not taken; "": it is, or it is not there.
  std::string not_ours(const std::string& host) const;
  // All other hosts, at least two, were lost at once: mbatchd rather than they may be cut off. No rerunnable job is given up.
  bool suspects_itself() const;

  // ---------------------------------------------------------------- orders

  // What an order says when it leaves, but for the payload of its submission; none: the job is not (or no longer) on that host as
  // that attempt, so that the order is void. A turn whose commit failed leaves late.
  std::optional<order::Start> start_order(const effect::OrderStart& order) const;
  std::optional<order::Expect> expect_order(const effect::OrderExpect& order) const;
  bool has_go(const effect::OrderGo& order) const;
  // Gives an effect that is an order to the engine; others, and orders that are void, are none. False: `whole` could not read
  // what the host needs, and the order was not given.
  bool carry_out(const Effect& effect, Engine& engine, const ReadWhole& whole) const;

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
