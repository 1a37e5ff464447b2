// The files read and written:
//   cgroup.controllers     name " " name ... "\n"       what may be handed down
//   cgroup.subtree_control "+" name                     hands it down
//   memory.max             bytes
//   memory.events          "oom_kill " number "\n", among other lines
#include "common/io/cgroup_slots.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "common/io/cgroup_files.hpp"
#include "common/io/process_tree.hpp"
#include "common/io/run_program.hpp"

namespace rollcall::io {
namespace {

constexpr int kMostSlots = 100'000;
// A job may read the counters by name. Others cannot open the directory itself, and so cannot lock it.
constexpr mode_t kMode = 0711;
constexpr mode_t kSpent = 0500;  // a slot in which processes were killed: not to be used again
constexpr int kLockTries = 100, kLockPauseMs = 10;

std::string folder_name(const std::string& place) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : place) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  std::string name(kSlotsPrefix);
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 15];
  return name;
}

bool make(int at, const char* name) {
  const bool made = mkdirat(at, name, kMode) == 0;
  if (made) fchmodat(at, name, kMode, 0);  // whatever our umask is
  return made || errno == EEXIST;
}

bool hold(int directory) { return flock(directory, LOCK_EX | LOCK_NB) == 0; }
// False where it was removed between opening and locking.
bool is_there(int directory) { return faccessat(directory, "cgroup.procs", F_OK, 0) == 0; }

void end_all_in(int directory) {
  if (!cgroup_is_populated(directory)) return;
  fchmod(directory, kSpent);
  kill_cgroup(directory);
  wait_for_empty_cgroup(directory);
}

bool is_spent(int directory) {
  struct stat facts;
  return fstat(directory, &facts) == 0 && (facts.st_mode & 0777) == kSpent;
}

// Folders of older releases could be opened by others.
void close_to_others(int directory) {
  struct stat facts;
  if (fstat(directory, &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & 0044) != 0)
    fchmod(directory, kMode);
}

void close_all_to_others(const Descriptor& folder) {
  close_to_others(folder.get());
  for (const auto& name : cgroups_below(folder.get()))
    if (const Descriptor slot = open_cgroup(folder.get(), name.c_str()); slot) close_to_others(slot.get());
}

// Another RES holds the lock for an instant when it looks for abandoned folders.
bool hold_shared(int directory) {
  for (int tried = 0; tried < kLockTries; ++tried) {
    if (flock(directory, LOCK_SH | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    poll(nullptr, 0, kLockPauseMs);
  }
  errno = EWOULDBLOCK;
  return false;
}

// True if a process born into the slot survives. The child makes async-signal-safe calls only: other threads may hold locks.
bool bears_children(const CgroupSlot& slot) {
  const pid_t pid = fork_into_cgroup(slot.fd());
  if (pid == 0) _exit(0);
  return pid > 0 && wait_for_end(pid) == 0;
}

template <class Do>
void for_unheld_slots(const Descriptor& folder, Do action) {
  for (const auto& name : cgroups_below(folder.get())) {
    if (!name.starts_with("slot-")) continue;
    const Descriptor slot = open_cgroup(folder.get(), name.c_str());
    if (slot && hold(slot.get())) action(slot, name);
  }
}

// Removes the folders of RES daemons that were killed and not restarted.
void remove_abandoned_folders(const Descriptor& above, const std::string& own) {
  for (const auto& name : cgroups_below(above.get())) {
    if (!name.starts_with(kSlotsPrefix)) continue;
    const Descriptor folder = open_cgroup(above.get(), name.c_str());
    struct stat facts;
    if (folder && fstat(folder.get(), &facts) == 0 && facts.st_uid == geteuid() && hold(folder.get()))
      remove_slots(own + "/" + name);
  }
}

// None: it cannot be made or opened. If another RES removes it meanwhile, it is made again.
Descriptor make_and_hold(const Descriptor& above, const std::string& name) {
  constexpr int kAttempts = 20;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!make(above.get(), name.c_str())) return Descriptor();
    Descriptor folder = open_cgroup(above.get(), name.c_str());
    if (!folder) continue;
    close_all_to_others(folder);
    if (!hold_shared(folder.get())) return Descriptor();
    if (is_there(folder.get())) return folder;
  }
  return Descriptor();
}

// ---- controllers

bool hands_down(int directory, const char* words) {
  return write_cgroup_file(directory, "cgroup.subtree_control", words);
}

// systemd and other managers mark the cgroups that they delegate to a service.
bool was_delegated(const std::string& own) {
  for (const char* name : {"trusted.delegate", "user.delegate"}) {
    std::array<char, 8> word{};
    if (getxattr(own.c_str(), name, word.data(), word.size()) > 0 && word[0] == '1') return true;
  }
  return false;
}

bool has_controller(const std::string& names, std::string_view wanted) {
  for (std::size_t at = 0; (at = names.find(wanted, at)) != names.npos; at += wanted.size()) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ' || names[end] == '\n'))
      return true;
  }
  return false;
}

// The delegated cgroup, if a manager has delegated one and put us into a part of it: it has no processes of its own, and so may
// enable controllers for its children. Else our own cgroup. RES never moves itself: its manager could not restart it in a cgroup
// that takes no processes any more.
std::string base_of(const std::string& own) {
  const auto slash = own.rfind('/');
  const std::string above = slash == own.npos ? "" : own.substr(0, slash);
  return !above.empty() && was_delegated(above) ? above : own;
}

// The kernel refuses this if there are processes beside the folder, except in the root.
bool hand_down_memory(const Descriptor& base, const Descriptor& folder) {
  return has_controller(read_cgroup_file(base.get(), "cgroup.controllers"), "memory") &&
         hands_down(base.get(), "+memory") && hands_down(folder.get(), "+memory");
}

}  // namespace

SlotsFolder make_slots(const std::string& place) {
  SlotsFolder result;
  const auto none = [](std::string why) {
    SlotsFolder without;
    without.why_none = std::move(why);
    return without;
  };
  const std::string own = base_of(own_cgroup());
  if (own.empty()) return none("no version 2 cgroup is mounted where RES is");
  const std::string name = folder_name(place);
  const Descriptor above = open_cgroup(AT_FDCWD, own.c_str());
  result.path = own + "/" + name;
  if (above) result.held = make_and_hold(above, name);
  const Descriptor& folder = result.held;
  struct stat facts;
  if (!folder || fstat(folder.get(), &facts) != 0) return none(cgroup_problem("make and lock", result.path));
  if (facts.st_uid != geteuid())
    return none(result.path + " belongs to user " + std::to_string(facts.st_uid));
  if (faccessat(folder.get(), "cgroup.kill", W_OK, AT_EACCESS) != 0) {
    const std::string why = cgroup_problem("use", result.path + "/cgroup.kill");
    unlinkat(above.get(), name.c_str(), AT_REMOVEDIR);
    return none(why);
  }
  remove_abandoned_folders(above, own);
  end_unheld_slots(result.path);
  result.memory = hand_down_memory(above, folder);
  if (const CgroupSlot first = CgroupSlot::take(result.path); !first || !bears_children(first)) {
    remove_cgroup(first.path());
    unlinkat(above.get(), name.c_str(), AT_REMOVEDIR);
    return none("what is born into one there is killed: a cgroup of RES was killed before");
  }
  return result;
}

void end_unheld_slots(const std::string& folder) {
  if (folder.empty()) return;
  const Descriptor directory = open_cgroup(AT_FDCWD, folder.c_str());
  if (directory)
    for_unheld_slots(directory, [&](const Descriptor& slot, const std::string& name) {
      end_all_in(slot.get());
      remove_cgroup(folder + "/" + name);
    });
}

void remove_slots(const std::string& folder) {
  if (folder.empty()) return;
  const Descriptor directory = open_cgroup(AT_FDCWD, folder.c_str());
  if (!directory) return;
  for_unheld_slots(directory, [&](const Descriptor& slot, const std::string& name) {
    end_all_in(slot.get());
    remove_cgroup(folder + "/" + name);
  });
  rmdir(folder.c_str());
}

CgroupSlot CgroupSlot::take(const std::string& folder) {
  CgroupSlot slot;
  if (folder.empty()) return slot;
  slot.folder_ = open_cgroup(AT_FDCWD, folder.c_str());
  for (int number = 0; slot.folder_ && number < kMostSlots; ++number) {
    slot.name_ = "slot-" + std::to_string(number);
    Descriptor directory = open_cgroup(slot.folder_.get(), slot.name_.c_str());
    if (!directory) {
      if (errno != ENOENT || !make(slot.folder_.get(), slot.name_.c_str())) return CgroupSlot();
      directory = open_cgroup(slot.folder_.get(), slot.name_.c_str());
    }
    if (!directory || !hold(directory.get())) continue;
    end_all_in(directory.get());
    if (is_spent(directory.get())) remove_cgroup(folder + "/" + slot.name_);
    if (!is_there(directory.get())) {  // removed, by us or meanwhile: made anew
      --number;
      continue;
    }
    if (is_spent(directory.get())) continue;  // the kernel still holds its processes
    slot.directory_ = std::move(directory);
    slot.path_ = folder + "/" + slot.name_;
    return slot;
  }
  return CgroupSlot();
}

bool CgroupSlot::limit_memory(std::int64_t bytes) const {
  return directory_ && write_cgroup_file(fd(), "memory.max", std::to_string(bytes));
}

bool limit_slot_memory(const std::string& path, std::int64_t bytes) {
  const Descriptor slot = open_cgroup(AT_FDCWD, path.c_str());
  return slot && write_cgroup_file(slot.get(), "memory.max", bytes == 0 ? "max" : std::to_string(bytes));
}

namespace {

constexpr const char* kSuspended = "suspended";
constexpr const char* kFreeze = "cgroup.freeze";

Descriptor open_suspended(int slot) { return slot < 0 ? Descriptor() : open_cgroup(slot, kSuspended); }

// Between our look and the write another process may get the number: then it is not left where the job's end kills it.
void take_in(int directory, pid_t pid, const Descriptor& process) {
  if (!write_cgroup_file(directory, "cgroup.procs", std::to_string(pid))) return;
  if (signal_process(pid, process, 0)) return;
  const auto members = cgroup_members(directory);
  const std::string own = own_cgroup();
  const Descriptor ours(own.empty() ? Descriptor() : open_cgroup(AT_FDCWD, own.c_str()));
  if (ours && std::binary_search(members.begin(), members.end(), pid))
    write_cgroup_file(ours.get(), "cgroup.procs", std::to_string(pid));
}

// True: something was there to be taken.
bool take_below(int directory, pid_t root) {
  const auto inside = cgroup_members(directory);
  std::vector<std::pair<pid_t, Descriptor>> found;
  for (const pid_t pid : descendants_of(root))
    if (!std::binary_search(inside.begin(), inside.end(), pid))
      if (Descriptor process = open_process(pid); process) found.emplace_back(pid, std::move(process));
  auto still = descendants_of(root);
  std::sort(still.begin(), still.end());
  for (const auto& [pid, process] : found)
    if (std::binary_search(still.begin(), still.end(), pid)) take_in(directory, pid, process);
  return !found.empty();
}

}  // namespace

bool CgroupSlot::freeze_below(pid_t root) const {
  constexpr int kRounds = 8;  // processes that run may fork until they are inside
  if (!directory_ || !make(fd(), kSuspended)) return false;
  const Descriptor suspended = open_suspended(fd());
  if (!suspended || !write_cgroup_file(suspended.get(), kFreeze, "1")) return false;
  for (int round = 0; round < kRounds && take_below(suspended.get(), root); ++round) continue;
  return true;
}

void CgroupSlot::thaw() const {
  if (const Descriptor suspended = open_suspended(fd()); suspended)
    write_cgroup_file(suspended.get(), kFreeze, "0");
}

std::vector<pid_t> frozen_in_slot(int slot) {
  // Its user may not list it.
  const Descriptor suspended(slot < 0 ? -1 : openat(slot, kSuspended, O_PATH | O_DIRECTORY | O_CLOEXEC));
  return suspended ? cgroup_members(suspended.get()) : std::vector<pid_t>();
}

std::int64_t CgroupSlot::ended_for_memory() const {
  const std::string text = directory_ ? "\n" + read_cgroup_file(fd(), "memory.events") : "";
  constexpr std::string_view kWord = "\noom_kill ";
  const auto at = text.find(kWord);
  return at == text.npos ? 0 : std::strtoll(text.c_str() + at + kWord.size(), nullptr, 10);
}

void CgroupSlot::end() {
  if (!directory_) return;
  end_all_in(fd());
  // Its peak, limit and page counts would be charged to the next job.
  if (is_spent(fd()) || faccessat(fd(), "memory.max", F_OK, 0) == 0) remove_cgroup(path_);
}

pid_t fork_into_cgroup(int directory) {
  clone_args how{};
  how.flags = CLONE_INTO_CGROUP;
  how.exit_signal = SIGCHLD;
  how.cgroup = static_cast<std::uint64_t>(directory);
  return static_cast<pid_t>(syscall(SYS_clone3, &how, sizeof how));
}

}  // namespace rollcall::io
