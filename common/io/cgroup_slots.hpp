// CgroupSlots: version 2 cgroups for the jobs that RES runs on this host: one for each job, with everything of it but its
// guard, so that nothing of it escapes, and what it uses is counted by the kernel.
//
//   OWN/rollcall-res-HASH/        RES's folder: HASH stands for its job directory; OWN is the cgroup that RES is in, or the one
//                                 above it where that was delegated
//   OWN/rollcall-res-HASH/slot-N  one job, and the next one after it
//
// Slots are used again: making and removing one takes locks of the whole machine (docs/decisions/0012). But for those in which
// something was killed by cgroup.kill: newer kernels (seen: 6.18) kill at once whatever is born into such a one from outside,
// ever after. These are removed, and where that cannot be, marked by their mode and passed over. An exclusive flock on
// the directory says that somebody looks after it: the guard and the shepherd of a job hold it through one open file, the
// job not at all; nobody else can open the directory (mode 0711), and so not lock it. So who gets the lock knows that both are gone, and that all that is in it is nobody's. Where none can be
// made there is none, and everything works without.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

struct SlotsFolder {
  std::string path;      // "": there is none
  std::string why_none;  // one line
  bool memory = false;   // its slots have the memory controller
  Descriptor held;       // with a shared flock: a folder that nobody holds is that of a RES that is gone
};
// RES, at its start. `place`: what no other RES of this machine has, its job directory. Ends what is in slots of before that
// nobody holds, and removes the folders beside it of RES that are gone, as far as no job is in them. None where what is born into
// a slot does not live: the same kernels do that to whoever is in a cgroup that was killed.
SlotsFolder make_slots(const std::string& place);
// Ends everything in slots that nobody holds, and removes these; others are left alone. "": nothing.
void end_unheld_slots(const std::string& folder);
// RES, at its end: slots that nobody holds, and the folder where there are no others.
void remove_slots(const std::string& folder);

class CgroupSlot {
 public:
  // An empty one that nobody else has; none where the folder is "" or cannot be used.
  static CgroupSlot take(const std::string& folder);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  int fd() const { return directory_.get(); }
  // The kernel ends the largest process where all together have more. False: no memory controller here.
  bool limit_memory(std::int64_t bytes) const;
  const std::string& path() const { return path_; }
  // How often it did.
  std::int64_t ended_for_memory() const;

  // Kills everything that is in it. One in which something was killed goes, as does what counts over the life of a cgroup and
  // cannot be set back.
  void end();

 private:
  Descriptor folder_, directory_;
  std::string name_, path_;
};
// Of a slot that a guard holds: another limit, while the job runs.
bool limit_slot_memory(const std::string& path, std::int64_t bytes);

// fork() into the cgroup; -1 with errno. For a process with one thread.
pid_t fork_into_cgroup(int directory);

}  // namespace rollcall::io
