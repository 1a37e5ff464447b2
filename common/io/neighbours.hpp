// Neighbours: restarts other daemons of this host that lsf_daemons has started and that died.
//
// Every daemon watches the others, in a thread of its own, so that it works while the loop hangs. A pid file says that a daemon
// should run: lsf_daemons writes it, `stop` removes it, and a daemon that ends as ordered empties it. If its process is gone,
// `lsf_daemons revive NAME` is run, which checks again under the pid file's lock, so that several neighbours start it only once.
// Daemons started otherwise (systemd) have no pid file and are ignored. It owns no daemon: a restarted one is not its child.
// docs/decisions/0070.
#pragma once

#include <string>
#include <thread>

#include "common/io/log.hpp"

namespace rollcall::io {

class Neighbours {
 public:
  struct Host {
    std::string pid_file;  // ours, DIRECTORY/NAME.HOST.pid; "": watching is off
    std::string starter;   // the path of lsf_daemons; "": watching is off
    std::string env_dir;
  };
  // Errors go to stderr, like the daemon's own lines.
  Neighbours(Host host, const std::string& program);
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;
  ~Neighbours();  // a start under way goes on by itself

 private:
  void watch();
  void revive(const std::string& name);

  Host host_;
  Log log_;
  int wake_ = -1;  // an eventfd that ends the thread
  std::thread thread_;
};

// True if the daemon of this pid file has died. False if it was of another boot, the file is missing or empty (the daemon ended
// as ordered), or the process lives.
bool daemon_has_died(const std::string& pid_file);

}  // namespace rollcall::io
