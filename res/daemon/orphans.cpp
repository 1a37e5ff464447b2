#include "res/daemon/orphans.hpp"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "common/io/process_tree.hpp"
#include "common/io/read_file.hpp"

namespace rollcall::res {
namespace {

constexpr int kRounds = 20;  // what forks meanwhile is found by the next one
constexpr int kPauseMs = 10;

std::vector<pid_t> find(const std::string& part, uid_t uid) {
  std::vector<pid_t> found;
  DIR* list = opendir("/proc");
  while (const dirent* entry = list == nullptr ? nullptr : readdir(list)) {
    const auto pid = static_cast<pid_t>(std::atoi(entry->d_name));
    struct stat facts;
    if (pid <= 1 || pid == getpid() || fstatat(dirfd(list), entry->d_name, &facts, 0) != 0 ||
        facts.st_uid != uid)
      continue;
    const auto text = io::read_file("/proc/" + std::to_string(pid) + "/environ");
    if (text && text->find(part) != text->npos && io::is_alive(pid)) found.push_back(pid);
  }
  if (list != nullptr) closedir(list);
  return found;
}

}  // namespace

int end_orphans(const std::string& directory, uid_t uid) {
  int ended = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto found = find("=" + directory + "/u/", uid);
    if (found.empty()) break;
    for (const pid_t pid : found) ended += kill(pid, SIGKILL) == 0;
    poll(nullptr, 0, kPauseMs);
  }
  return ended;
}

}  // namespace rollcall::res
