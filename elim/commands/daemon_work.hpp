// DaemonWork: what lsf_daemons needs on this host: the places of files, the daemons that belong here, and their ports.
//
// lsf.conf must be readable. The other files may have errors, since stop and status must still work: then the host's role is
// unknown, and besides lim only daemons with a pid file are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "elim/commands/daemon_place.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {

struct DaemonWork {
  conf::FileSources sources;
  conf::CheckedClusterFiles checked;  // as they are now; none: they have errors
  DaemonPlace place;
  conf::BatchSettings batch;
  std::string here;                    // what this host calls itself
  std::optional<show::HostRole> role;  // none: the files have errors, or do not have this host
  std::string starter;               // this program, for daemons that restart their neighbours; "": none does
  std::optional<Patience> patience;  // of the command line
  std::vector<show::DaemonKind> asked;  // by name; none: all that belong here

  // All daemons that belong on this host or have left a pid file on it, in the order of their start.
  std::vector<show::DaemonKind> kinds() const;
  // An error where a daemon that was named does not belong here.
  Result<void> check_asked() const;
  // One line that names the daemons that belong here but have no program; "": none, or daemons were named.
  std::string missing() const;
  // False: the files are those of the load system alone, which needs neither res nor mbatchd.
  bool has_batch_files() const;
  int port(const show::DaemonKind& kind) const;

 private:
  std::string why_not(const show::DaemonKind& kind) const;
  std::string no_program(const show::DaemonKind& kind) const;
};

Result<DaemonWork> read_daemon_work(conf::FileSources sources);

}  // namespace rollcall::elim
