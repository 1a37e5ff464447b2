// HostLedger: hosts and the attempts on them: placements of the plan, reports of the engine, which hosts are connected, and the
// orders to each host. For the scheduler and the engine's side of mbatchd; clients never reach it.
//
// A view of the Book's Memory, which outlives it.
//
//   a host says         | the Book believes                   | what is done
//   --------------------+-------------------------------------+--------------------------------------------------------
//   it holds attempt a  | the job runs there as attempt a     | HostBack(held): unconfirmed signals are sent again
//   it holds nothing    | the job runs there as attempt a     | HostBack(none): if not started, its start is ordered again;
//                       |                                     |  if started, it is over (never_seen)
//   it holds attempt a  | over, removed, unknown, another one | over: nothing, its Over will be acknowledged; a first
//                       |                                     |  host: KILL; another host: release
//   Over of a           | not (or no longer) running as a     | acknowledged
//   it has the order of | the job starts there as attempt a   | HostBack(prepared): its go-ahead is given again, or withheld
//     attempt a alone   |                                     |  until the other hosts have the order
//                       | another one, or none                | release
//   Over of a, success  | a was given up with the host, and   | the job has ended so
//                       |  its rerun pends                    |
//   (it disconnects)    |                                     | attempts without go-ahead are taken back at once; after the
//                       |                                     |  patience HostLost for the jobs whose first host it is; those of a
//                       |                                     |  borrowed host are not given up: its own cluster alone ends them
// Short connections do not restart the patience: only one that lasts SBD_SLEEP_TIME does.
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

// Reads what the Book does not keep: the submission with its payload (stored_payload.hpp). nullptr: it cannot be read.
using ReadWhole = std::function<std::shared_ptr<const wire::Submission>(
    const std::shared_ptr<const wire::Submission>& asked)>;

class HostLedger {
 public:
  HostLedger(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  HostLedger(const HostLedger&) = delete;
  HostLedger& operator=(const HostLedger&) = delete;

  // ---------------------------------------------------------------- the plan

  // Skips a job that has changed since the plan was made, so that the plan no longer fits it.
  Effects dispatch(JobKey key, const event::Dispatched& plan, WallTime now);
  Effects suspend(JobKey key, const event::SuspendPlanned& plan, WallTime now);
  Effects resume(JobKey key, const event::ResumePlanned& plan, WallTime now);
  // The hosts that are on lease now: names that clients may use (-m, hclose, bjobs -m). Jobs on hosts that are not in it any more stay,
  // and so do those hosts until no job is there.
  void borrowed(BorrowedNames hosts);
  std::size_t known_hosts() const;
  // CPU factors of all known hosts, for the placements of brun.
  void cpu_factors(std::unordered_map<HostId, double> factors);

  // ---------------------------------------------------------------- what is heard

  // Applies a report of the engine about a host, by its official name (engine.hpp). After HostCame the host counts as connected.
  Effects host_told(const std::string& host, const HostReport& report, WallTime now);
  // What the release of another cluster does not know. Until it disconnects, orders of the kind are answered with that.
  enum class Unknown { recalls, signals };
  void not_known(const std::string& host, Unknown kind);
  // The host disconnected. `silent`: how long it had sent nothing before.
  Effects host_gone(const std::string& host, WallTime now, Duration silent = {});
  // Orders of this start are kept back until it is known where `awaited` is reached: a host of the job, or the cluster whose part it is. "": no
  // longer. That host, not one that has no order, is to blame if the start is not taken in time.
  void kept_back(const Attempt& attempt, const std::string& awaited);
  // The host that mbatchd runs on. A connection to it does not show that the network works (suspects_itself).
  void set_own_host(std::string host);

  bool connected(const std::string& host) const;
  // Why it could not take the last order for a job; "": it took it.
  std::string trouble(const std::string& host) const;
  // What ended jobs left there for an administrator to remove, in one line; "": nothing.
  std::string left_behind(const std::string& host) const;
  // Why a host that connects is refused; "": it is accepted, or not there.
  std::string not_ours(const std::string& host) const;
  // All other hosts, at least two, were lost at once: mbatchd's own network may be down. Then no rerunnable job is given up.
  bool suspects_itself() const;

  // ---------------------------------------------------------------- orders

  // The order as it is when it leaves, without the payload of the submission. None: the order is void, because the job is no longer
  // on that host as that attempt. That happens when a commit failed first, so that the turn's effects leave late.
  std::optional<order::Start> start_order(const effect::OrderStart& order) const;
  std::optional<order::Expect> expect_order(const effect::OrderExpect& order) const;
  bool has_go(const effect::OrderGo& order) const;
  // Gives an effect that is an order to the engine; ignores other effects and void orders. False: `whole` could not read what the
  // host needs, and the order was not given.
  bool carry_out(const Effect& effect, Engine& engine, const ReadWhole& whole) const;

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
