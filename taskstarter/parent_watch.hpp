// ParentWatch: notices that the launcher's process that started us has ended, and how.
//
// By a pidfd. PR_SET_PDEATHSIG is of no use here: it fires when the parent's *thread* ends, and Open MPI starts
// tasks from helper threads. What a lost parent means is pam's business.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/io/descriptor.hpp"
#include "taskstarter/level_link.hpp"

namespace rollcall::taskstarter {

struct ParentEnd {
  EndCause cause = EndCause::unknown;
  std::int32_t value = 0;
};

class ParentWatch {
 public:
  // `parent` is what getppid() said at start; 0 (a parent outside our pid namespace) is not watched.
  explicit ParentWatch(pid_t parent);

  // Readable once the parent has ended; -1 where nothing is watched.
  int fd() const { return pidfd_.get(); }
  // True where it had ended, and been waited for, before it could be watched: how it ended is not known.
  bool gone_already() const { return gone_already_; }
  // How it ended, as far as the kernel tells.
  ParentEnd how() const;
  void stop() { pidfd_.reset(); }

 private:
  pid_t parent_;
  io::Descriptor pidfd_;
  bool gone_already_ = false;
};

}  // namespace rollcall::taskstarter
