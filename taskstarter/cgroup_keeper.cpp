#include "taskstarter/cgroup_keeper.hpp"

#include <unistd.h>

#include "taskstarter/detached.hpp"

namespace rollcall::taskstarter {
namespace {

[[noreturn]] void keep(const std::string& path, std::span<char* const> words) {
  const io::Descriptor directory = io::open_job_cgroup(path);  // it is there: our parent's parent holds it
  if (!directory) _exit(0);
  leave_launcher("rollcall-keeper", directory.get(), words);
  io::end_abandoned_jobs();
  io::end_job_cgroup(directory, path);
  _exit(0);
}

}  // namespace

void start_keeper(const io::JobCgroup& cgroup, std::span<char* const> words) {
  if (fork_detached()) keep(cgroup.path(), words);
}

}  // namespace rollcall::taskstarter
