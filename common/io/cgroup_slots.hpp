// CgroupSlots: version 2 cgroups for the jobs that RES runs on this host. A slot holds all processes of one job but its guard, so
// that none escapes and the kernel counts what the job uses.
//
//   OWN/rollcall-res-HASH/        RES's folder: HASH stands for its job directory; OWN is the cgroup that RES is in, or the one
//                                 above it where that was delegated
//   OWN/rollcall-res-HASH/slot-N  one job, and the next one after it
//   ...             slot-N/suspended  its processes that were continued while it is suspended; without controllers
//
// Slots are used again: making and removing one takes machine-wide locks (docs/decisions/0012). A slot in which cgroup.kill was
// used is not: newer kernels (seen: 6.18) kill at once whatever is born into it from outside. Such a slot is removed, or, where
// that fails, marked by its mode and skipped. An exclusive flock on the directory means that a job is looked after: the job's
// guard and shepherd hold it through one open file, the job does not. Nobody else can open the directory (mode 0711), and so
// cannot lock it. Whoever gets the lock knows that both are gone, and that the processes in the slot are left over. Where no
// slots can be made, RES works without.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

struct SlotsFolder {
  std::string path;      // "": there is none
  std::string why_none;  // one line
  bool memory = false;   // its slots have the memory controller
  Descriptor held;       // with a shared flock: a folder without one belongs to a RES that is gone
};
// For the start of RES. `place`: its job directory, which no other RES of this machine shares. Ends processes in old slots that
// are not held, and removes folders of other RES daemons that are gone, as far as they have no jobs. None where a process born
// into a slot does not survive: those kernels do that too to processes whose own cgroup was killed.
SlotsFolder make_slots(const std::string& place);
// Ends all processes in slots that are not held, and removes these; others stay. "": does nothing.
void end_unheld_slots(const std::string& folder);
// For the end of RES: removes slots that are not held, and the folder if it is then empty.
void remove_slots(const std::string& folder);

class CgroupSlot {
 public:
  // Takes an empty slot for this process alone; none where the folder is "" or cannot be used.
  static CgroupSlot take(const std::string& folder);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  int fd() const { return directory_.get(); }
  // Beyond the limit the kernel ends the largest process. False: there is no memory controller.
  bool limit_memory(std::int64_t bytes) const;
  const std::string& path() const { return path_; }
  // How often the kernel did so.
  std::int64_t ended_for_memory() const;

  // Freezes the descendants that the process has now, also those that are continued later. `root` itself, which is in the slot, goes on.
  // False: the slot, or the kernel, cannot freeze them.
  bool freeze_below(pid_t root) const;
  void thaw() const;

  // Kills all processes in the slot. A slot in which processes were killed, or whose counters cannot be set back, is removed.
  void end();

 private:
  Descriptor folder_, directory_;
  std::string name_, path_;
};
// Changes the limit of a held slot while the job runs.
bool limit_slot_memory(const std::string& path, std::int64_t bytes);

// Processes of the slot that freeze_below() has moved, and thaw() leaves where they are, sorted. `slot`: its directory; -1: there is none.
std::vector<pid_t> frozen_in_slot(int slot);

// fork() into the cgroup; -1 with errno. For a process with one thread.
pid_t fork_into_cgroup(int directory);

}  // namespace rollcall::io
