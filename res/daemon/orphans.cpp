#include "res/daemon/orphans.hpp"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "common/io/cgroup_slots.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::res {
namespace {

constexpr int kQuietRounds = 2;  // a process in execve() has no environment for a moment
constexpr int kRounds = 20;      // each round finds processes forked during the last one
constexpr int kPauseMs = 10;

// A process as it was when it was found: its pid may belong to another one a moment later.
struct Found {
  pid_t pid = 0;
  io::Descriptor handle;   // empty: this kernel has no pidfd
  std::string started_at;  // in ticks, from /proc/PID/stat; "" if the process is gone
};

// pid " (" name ") " state " " parent ... word 22 is the start time. The name itself may contain ") " and blanks.
std::string start_time(pid_t pid) {
  constexpr int kBehindTheName = 19;
  const auto text = io::read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!text) return "";
  std::size_t at = text->rfind(") ");
  for (int i = 0; i <= kBehindTheName && at != text->npos; ++i) at = text->find(' ', at + 1);
  return at == text->npos ? "" : text->substr(at + 1, text->find(' ', at + 1) - at - 1);
}

bool still_there(const Found& found) {
  if (found.handle) {
    pollfd ended{found.handle.get(), POLLIN, 0};
    return poll(&ended, 1, 0) == 0;
  }
  return start_time(found.pid) == found.started_at;
}

void end(const Found& found) {
  if (found.handle)
    syscall(SYS_pidfd_send_signal, found.handle.get(), SIGKILL, nullptr, 0);
  else
    kill(found.pid, SIGKILL);
}

std::vector<Found> find(const std::string& part, uid_t uid) {
  std::vector<Found> all;
  DIR* list = opendir("/proc");
  while (const dirent* entry = list == nullptr ? nullptr : readdir(list)) {
    const auto pid = static_cast<pid_t>(std::atoi(entry->d_name));
    struct stat facts;
    if (pid <= 1 || pid == getpid() || fstatat(dirfd(list), entry->d_name, &facts, 0) != 0 ||
        facts.st_uid != uid)
      continue;
    // Open a handle, then read, then check that the process still exists: so all that was read belongs to this process.
    Found found{pid, io::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))), start_time(pid)};
    const auto text = io::read_file("/proc/" + std::to_string(pid) + "/environ");
    if (text && text->find(part) != text->npos && !found.started_at.empty() && still_there(found) &&
        io::is_alive(pid))
      all.push_back(std::move(found));
  }
  if (list != nullptr) closedir(list);
  return all;
}

}  // namespace

int end_orphans(const std::string& directory, uid_t uid) {
  std::set<std::string> ended;  // each process once: a killed one may be found again before it is gone
  for (int round = 0, quiet = 0; round < kRounds; ++round) {
    const auto found = find("=" + directory + "/u/", uid);
    quiet = found.empty() ? quiet + 1 : 0;
    if (quiet == kQuietRounds) break;
    for (const auto& process : found) {
      if (!still_there(process)) continue;
      end(process);
      ended.insert(std::to_string(process.pid) + " " + process.started_at);
    }
    poll(nullptr, 0, kPauseMs);
  }
  return static_cast<int>(ended.size());
}

void end_what_is_left(const std::string& directory, uid_t uid, const std::string& cgroups) {
  io::end_unheld_slots(cgroups);
  end_orphans(directory, uid);
  io::end_unheld_slots(
      cgroups);  // guard and shepherd let go of theirs a moment after they let go of the job's directory
}

}  // namespace rollcall::res
