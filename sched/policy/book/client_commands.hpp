// ClientCommands: what clients ask mbatchd to change: new jobs, bkill and its like, btop, bswitch, bmod, badmin. Who may do what,
// and which jobs a request means, is decided here. What mbatchd's clients reach has this part and no other that changes.
//
// A view of the Book's Memory, which outlives it. A request that may mean many jobs is done in pieces: begin_X() once, then X_some()
// until the reply is the last one, each doing it to at most `most` jobs more, as they then are.
#pragma once

#include <memory>

#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::book {

// The answer to a request of a client, and what is to be done. `reply` leaves after the commit.
struct Applied {
  wire::BatchReply reply;
  Effects effects;
};

struct SignalWork;  // book_signal.hpp
struct SwitchWork;  // the same
struct ModifyWork;  // the same

class ClientCommands {
 public:
  ClientCommands(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  ClientCommands(const ClientCommands&) = delete;
  ClientCommands& operator=(const ClientCommands&) = delete;

  // Every job is accepted or refused on its own. `check_only`: nothing is kept. The same user's same token again, within an
  // hour: nothing is done, and the answer is the first one's.
  Applied submit(const wire::Submit& request, const Identity& who, WallTime now);

  Applied signal_jobs(const wire::SignalJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<SignalWork> begin_signal(const wire::SignalJobs& request, const Identity& who) const;
  Applied signal_some(SignalWork& work, std::size_t most, WallTime now);

  Applied move_job(const wire::MoveJob& request, const Identity& who, WallTime now);

  Applied switch_jobs(const wire::SwitchJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<SwitchWork> begin_switch(const wire::SwitchJobs& request, const Identity& who) const;
  Applied switch_some(SwitchWork& work, std::size_t most, WallTime now);

  // Each array is checked as a whole before any of it is changed.
  Applied modify_jobs(const wire::ModifyJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<ModifyWork> begin_modify(const wire::ModifyJobs& request, const Identity& who) const;
  Applied modify_some(ModifyWork& work, std::size_t most, WallTime now);

  // Queues and hosts opened, closed, activated, inactivated. Other actions are mbatchd's own: BAD_REQUEST.
  Applied control(const wire::ControlBatch& request, const Identity& who, WallTime now);

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
