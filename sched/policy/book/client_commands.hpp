// ClientCommands: the changes that clients request: new jobs, bkill and the like, btop, bswitch, bmod, badmin. It decides who may
// do what, and which jobs a request means. Code that serves clients changes the Book through this part alone.
//
// A view of the Book's Memory, which outlives it. A request that may mean many jobs is done in pieces: begin_X() once, then
// X_some() until the reply is the last one. Each piece applies it to at most `most` further jobs.
#pragma once

#include <memory>

#include "sched/policy/book/job_table.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::sched::book {

// The answer to a client's request, and the effects to carry out. `reply` must be sent after the commit.
struct Applied {
  wire::BatchReply reply;
  Effects effects;
  // For jobs that other clusters were asked to give back: to be called again behind a change.
  bool waits = false;
};

struct SignalWork;  // book_signal.hpp
struct SwitchWork;  // the same
struct ModifyWork;  // the same

class ClientCommands {
 public:
  ClientCommands(Memory& memory, const JobTable& jobs) : memory_(&memory), jobs_(jobs) {}
  ClientCommands(const ClientCommands&) = delete;
  ClientCommands& operator=(const ClientCommands&) = delete;

  // Each job is accepted or refused on its own. With `check_only` nothing is kept. A request with a token that the same user used
  // within the last hour submits nothing and gets the first answer again.
  Applied submit(const wire::Submit& request, const Identity& who, WallTime now);

  Applied signal_jobs(const wire::SignalJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<SignalWork> begin_signal(const wire::SignalJobs& request, const Identity& who) const;
  Applied signal_some(SignalWork& work, std::size_t most, WallTime now);

  Applied move_job(const wire::MoveJob& request, const Identity& who, WallTime now);

  Applied switch_jobs(const wire::SwitchJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<SwitchWork> begin_switch(const wire::SwitchJobs& request, const Identity& who) const;
  Applied switch_some(SwitchWork& work, std::size_t most, WallTime now);

  // Checks each array as a whole before it changes any element.
  Applied modify_jobs(const wire::ModifyJobs& request, const Identity& who, WallTime now);
  std::shared_ptr<ModifyWork> begin_modify(const wire::ModifyJobs& request, const Identity& who) const;
  Applied modify_some(ModifyWork& work, std::size_t most, WallTime now);

  // Opens, closes, activates and inactivates queues and hosts. For other actions, which are not the Book's: BAD_REQUEST.
  Applied control(const wire::ControlBatch& request, const Identity& who, WallTime now);

 private:
  Memory* memory_;
  const JobTable& jobs_;
};

}  // namespace rollcall::sched::book
