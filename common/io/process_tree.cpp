// The files read:
//   /proc/PID/task/TID/children   pid " " pid " " ...
//   /proc/PID/stat                pid " (" name ") " state " " ...   (the name may hold anything: the last ')' ends it)
#include "common/io/process_tree.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/io/descriptor.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kMostHeld = 512;  // pidfds open at a time

// "" where it cannot be read: the process is gone.
std::string text_of(const std::string& path) {
  auto content = read_file(path);
  return content ? std::move(*content) : std::string{};
}

void append_children(pid_t pid, std::vector<pid_t>& found) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  DIR* threads = opendir(folder.c_str());
  if (threads == nullptr) return;
  while (const dirent* thread = readdir(threads)) {
    if (thread->d_name[0] == '.') continue;
    const std::string list = text_of(folder + "/" + thread->d_name + "/children");
    for (const char* at = list.c_str(); *at != '\0';) {
      char* end = nullptr;
      const long child = std::strtol(at, &end, 10);
      if (end == at) break;
      found.push_back(static_cast<pid_t>(child));
      at = *end == ' ' ? end + 1 : end;
    }
  }
  closedir(threads);
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> found;
  append_children(root, found);
  for (std::size_t next = 0; next < found.size(); ++next) append_children(found[next], found);
  return found;
}

bool is_alive(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return false;
  const char state = stat[name_end + 2];
  return state != 'Z' && state != 'X';
}

Descriptor open_process(pid_t pid) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

// A kernel or a container without pidfds: only the number is left.
bool signal_process(pid_t pid, const Descriptor& process, int signo) {
  if (!process) return kill(pid, signo) == 0;
  return syscall(SYS_pidfd_send_signal, process.get(), signo, nullptr, 0) == 0;
}

int signal_if_below(pid_t root, int signo, const std::vector<pid_t>& pids) {
  int reached = 0;
  for (std::size_t next = 0; next < pids.size();) {
    std::vector<std::pair<pid_t, Descriptor>> held;
    for (; next < pids.size() && held.size() < kMostHeld; ++next) {
      Descriptor process = open_process(pids[next]);
      if (!process && errno == ESRCH) continue;
      if (!process && errno == EMFILE && !held.empty()) break;
      held.emplace_back(pids[next], std::move(process));
    }
    // The pid may have been reused before its pidfd was opened; then the process is not below `root`.
    auto below = descendants_of(root);
    std::sort(below.begin(), below.end());
    for (const auto& [pid, process] : held)
      if (std::binary_search(below.begin(), below.end(), pid) && is_alive(pid) &&
          signal_process(pid, process, signo))
        ++reached;
  }
  return reached;
}

int signal_descendants(int signo, const std::vector<pid_t>& spare) {
  std::vector<pid_t> spared = spare;
  for (const pid_t pid : spare) {
    const auto below = descendants_of(pid);
    spared.insert(spared.end(), below.begin(), below.end());
  }
  auto found = descendants_of(getpid());
  std::erase_if(found, [&spared](pid_t pid) {
    return std::find(spared.begin(), spared.end(), pid) != spared.end() || !is_alive(pid);
  });
  return found.empty() ? 0 : signal_if_below(getpid(), signo, found);
}

}  // namespace rollcall::io
