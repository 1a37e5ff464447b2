// Who may lock, stop or reconfigure a LIM: root, the cluster's administrators, and the user who runs it. A function; and
// how often MUNGE is asked who a caller is, a value.
//
// The caller is what was proved on the server's side: a connection that holds the cluster's key, or a MUNGE credential.
// Nothing that the client says of itself counts. Rules: "Administering Platform LSF 7.3", lsadmin.
#pragma once

#include <sys/types.h>

#include <chrono>
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

// When munged may be asked again. LIM asks it in its loop, and libmunge waits ten seconds for one that hangs: whoever
// may connect could stop LIM by asking. After a question that took long, the next ones fail at once for a while, so that
// LIM spends at most a part in kMungeShare of its time on them.
inline constexpr int kMungeShare = 12;
class MungePause {
 public:
  using Time = std::chrono::steady_clock::time_point;
  bool asks(Time now) const { return now >= again_at_; }
  void took(Time from, Time to) {
    if (to - from >= std::chrono::milliseconds(250)) again_at_ = to + (kMungeShare - 1) * (to - from);
  }

 private:
  Time again_at_{};
};

}  // namespace rollcall::lim
