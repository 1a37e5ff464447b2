// The file read:
//   /proc/PID/stat         pid " (" name ") " state " " parent " " ...
#include "common/io/job_cgroup.hpp"

#include <errno.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "common/io/cgroup_files.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr std::string_view kPrefix = "rollcall-";
constexpr std::string_view kDigits = "0123456789abcdef";  // of the hash,
constexpr std::size_t kHashDigits = 8;                    // as many
constexpr int kAttempts = 20;                             // the first one's keeper may remove it meanwhile,
constexpr int kPauseMs = 1;                               // which takes this long or less
constexpr int kKillRounds = 20;  // a process that forks while it is killed leaves new ones

struct Facts {
  std::string name;
  pid_t parent = 0;
};

std::optional<Facts> facts_of(pid_t pid) {
  const auto stat_file = read_file(("/proc/" + std::to_string(pid) + "/stat").c_str());
  const std::string stat = stat_file ? *stat_file : std::string();
  const auto open = stat.find('(');
  const auto close = stat.rfind(") ");
  if (open == stat.npos || close == stat.npos || close + 4 >= stat.size()) return std::nullopt;
  return Facts{stat.substr(open + 1, close - open - 1), std::atoi(stat.c_str() + close + 4)};
}

// True where the first process above `pid` that is no member is a TaskStarter (it has our name). Also where that cannot be seen:
// only known orphans are killed.
bool looked_after(pid_t pid, const std::vector<pid_t>& members, const std::string& our_name) {
  for (auto facts = facts_of(pid); facts && facts->parent > 0; facts = facts_of(pid)) {
    pid = facts->parent;
    if (std::binary_search(members.begin(), members.end(), pid)) continue;
    const auto above = facts_of(pid);
    return !above || above->name == our_name;
  }
  return true;
}

// Kills orphans; true if there were any.
bool kill_orphans_in(int directory, const std::string& our_name) {
  bool found = false;
  const auto members = cgroup_members(directory);
  for (const pid_t pid : members) {
    if (looked_after(pid, members, our_name)) continue;
    // The pidfd is open now, so the second check is of the process that gets the signal.
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process || looked_after(pid, cgroup_members(directory), our_name)) continue;
    found = true;
    syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  return found;
}

// Matches exactly the names of job_cgroup_name: other names with this prefix are not ours.
bool is_job_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const auto port = name.substr(0, name.find('-'));
  const auto hash = name.substr(std::min(port.size() + 1, name.size()));
  return !port.empty() && port.find_first_not_of("0123456789") == port.npos && hash.size() == kHashDigits &&
         hash.find_first_not_of(kDigits) == hash.npos;
}

// No process can enter it meanwhile: we hold the exclusive lock.
void end_and_remove(int directory, const std::string& path) {
  kill_cgroup(directory);
  wait_for_empty_cgroup(directory);
  remove_cgroup(path);
}

void pause() { poll(nullptr, 0, kPauseMs); }

// Containers may share the cgroup tree, and have equal addresses and ports in their own networks.
std::string pid_namespace() {
  std::array<char, 64> text;
  const ssize_t size = readlink("/proc/self/ns/pid", text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

}  // namespace

std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  const auto add = [&hash](const std::string& text) {
    for (const char c : text + ",") hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  };
  for (const auto& address : addresses) add(address);
  add(pid_namespace());
  std::string name = std::string(kPrefix) + std::to_string(port) + "-";
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 15];
  return name;
}

JobCgroup JobCgroup::none(std::string why) {
  JobCgroup result;
  result.why_none_ = std::move(why);
  return result;
}

JobCgroup JobCgroup::enter(const std::string& job) {
  JobCgroup entered;
  const std::string own = own_cgroup();
  if (own.empty()) return none("no version 2 cgroup is mounted where this process is");
  if (in_cgroup_slot(own)) return none("the whole job is in one of RES's already, " + own);
  entered.path_ = own + "/" + job;
  const char* path = entered.path_.c_str();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    entered.directory_ = open_cgroup(AT_FDCWD, path);
    if (!entered && errno != ENOENT) return none(cgroup_problem("open", entered.path_));
    if (!entered) {
      entered.first_of_job_ = mkdir(path, 0700) == 0;
      if (!entered.first_of_job_ && errno != EEXIST) return none(cgroup_problem("make", entered.path_));
      entered.directory_ = open_cgroup(AT_FDCWD, path);
    }
    if (entered && flock(entered.fd(), LOCK_SH | LOCK_NB) == 0) {
      if (faccessat(entered.fd(), "cgroup.kill", W_OK, 0) == 0) return entered;
      const std::string why = cgroup_problem("use", entered.path_ + "/cgroup.kill");
      // A cgroup that was removed before we locked it has no files. Before Linux 5.14 there is no cgroup.kill.
      if (faccessat(entered.fd(), "cgroup.procs", F_OK, 0) == 0) {
        if (entered.first_of_job_) rmdir(path);
        return none(why);
      }
    }
    pause();
    entered.first_of_job_ = false;
  }
  return none(cgroup_problem("hold", entered.path_));
}

void JobCgroup::end_orphans() const {
  const auto we = facts_of(getpid());
  if (!directory_ || !we) return;
  for (int round = 0; round < kKillRounds && kill_orphans_in(fd(), we->name); ++round) pause();
}

Descriptor open_job_cgroup(const std::string& path) { return open_cgroup(AT_FDCWD, path.c_str()); }

void end_job_cgroup(const Descriptor& directory, const std::string& path) {
  int locked = 0;
  while ((locked = flock(directory.get(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  if (locked == 0 && faccessat(directory.get(), "cgroup.kill", W_OK, 0) == 0)
    end_and_remove(directory.get(), path);
}

void end_abandoned_jobs() {
  const std::string own = own_cgroup();
  const Descriptor directory = open_cgroup(AT_FDCWD, own.c_str());
  if (own.empty() || !directory) return;
  for (const auto& name : cgroups_below(directory.get())) {
    if (!is_job_name(name)) continue;
    const Descriptor job = open_cgroup(directory.get(), name.c_str());
    if (job && flock(job.get(), LOCK_EX | LOCK_NB) == 0) end_and_remove(job.get(), own + "/" + name);
  }
}

}  // namespace rollcall::io
