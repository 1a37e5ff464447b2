// Who may lock, stop or reconfigure a LIM: root, the cluster's administrators, and the user who runs it. A function.
//
// Identity is what the server has proved: a connection that holds the cluster's key, or a MUNGE credential. The client's own word
// does not count. Rules: "Administering Platform LSF 7.3", lsadmin.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rollcall::lim {

struct ProvedCaller {
  bool holds_key = false;    // ClusterChannel::Caller::owner
  std::optional<uid_t> uid;  // by MUNGE
  std::string name;          // of that uid on this host; "": it has none
};

// `owner`: who runs this LIM. Administrators as lsf.cluster writes them.
bool may_control(const ProvedCaller& caller, uid_t owner, const std::vector<std::string>& administrators);

}  // namespace rollcall::lim
