// OwnCgroup: puts the test into a version 2 cgroup of its own for a while, so that no other job of this machine, which
// would end what ours has left, sees it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "common/io/job_cgroup.hpp"

namespace rollcall::io {

class OwnCgroup {
 public:
  OwnCgroup() {
    JobCgroup found = JobCgroup::enter("rollcall-0-" + std::to_string(getpid()));
    why_none_ = found.why_none();
    if (!found) return;
    char path[4096];
    const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(found.fd())).c_str(), path, sizeof path);
    const std::string mine(path, static_cast<std::size_t>(size));
    rmdir(mine.c_str());
    above_ = mine.substr(0, mine.rfind("/rollcall-0-"));
    path_ = above_ + "/test-of-rollcall-" + std::to_string(getpid());
    if (mkdir(path_.c_str(), 0700) != 0 || !enter(path_)) why_none_ = "cannot enter " + path_;
  }
  OwnCgroup(const OwnCgroup&) = delete;
  OwnCgroup& operator=(const OwnCgroup&) = delete;
  ~OwnCgroup() {
    if (path_.empty()) return;
    enter(above_);
    rmdir(path_.c_str());
  }

  const std::string& why_none() const { return why_none_; }  // "" where there is one
  const std::string& path() const { return path_; }

 private:
  static bool enter(const std::string& cgroup) {
    const int fd = open((cgroup + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    const bool entered = fd >= 0 && write(fd, "0", 1) == 1;
    if (fd >= 0) close(fd);
    return entered;
  }

  std::string why_none_;
  std::string above_;
  std::string path_;
};

}  // namespace rollcall::io
