// Neighbours: the other daemons of this host that lsf_daemons has started: one that died is started again.
//
// Every daemon watches the others, in a thread of its own, so that a loop that stands still watches on. A pid file says who is to
// run: lsf_daemons writes it, `stop` removes it, and a daemon that ends as it was told empties it. Where the process of one is gone
// `lsf_daemons revive NAME` is run, which looks again under the lock of that pid file: however many neighbours see it, it is
// started once. Daemons that something else starts (systemd) have no pid file, and are left to that. It owns no daemon: who is
// started again is nobody's child. docs/decisions/0070.
#pragma once

#include <string>
#include <thread>

#include "common/io/log.hpp"

namespace rollcall::io {

class Neighbours {
 public:
  struct Host {
    std::string pid_file;  // ours, DIRECTORY/NAME.HOST.pid; "": nothing is watched
    std::string starter;   // the path of lsf_daemons; "": nothing is watched
    std::string env_dir;
  };
  // Errors go to stderr, as the daemon's own lines do.
  Neighbours(Host host, const std::string& program);
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;
  ~Neighbours();  // a start that is under way goes on by itself

 private:
  void watch();
  void revive(const std::string& name);

  Host host_;
  Log log_;
  int wake_ = -1;  // an eventfd: the end
  std::thread thread_;
};

// The daemon that this pid file names is gone. False where it was of another boot, there is no such file, it is empty (the daemon ended as
// it was told), or the process is there.
bool daemon_has_died(const std::string& pid_file);

}  // namespace rollcall::io
