// RemovedHosts: hosts that lsf.cluster no longer has as servers, on which attempts still are. mbatchd goes on hearing their RES, so that
// these attempts can be signalled and their ends are told. No cycle knows such a host, so nothing new starts there. It keeps nothing in the
// store: what is still there, the Book and the RES of the host say. Owned by mbatchd's one thread. docs/decisions/0113.
//
//   the RES is heard while                                 | until
//   -------------------------------------------------------+----------------------------------------------
//   a job is placed there, or runs its post-execution there| take_empty() names the host
//   its hello had an attempt of a job that the Book knows, | its next hello: the Book has the attempt ended
//     and that is elsewhere or over by now                 |
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sched/policy/book/job_table.hpp"

namespace rollcall::sched::book {

class RemovedHosts {
 public:
  explicit RemovedHosts(const JobTable& jobs) : jobs_(jobs) {}

  // Whether the RES of the host, a server no longer, is heard. `held`: the jobs that it says in its hello it has; none: it says no hello now.
  bool has_attempts(const std::string& host, const std::optional<std::vector<JobKey>>& held);
  // Hosts without any attempt since, each once.
  std::vector<std::string> take_empty();

 private:
  struct Host {
    std::set<JobKey> jobs;   // that were there
    bool strangers = false;  // it has attempts that the Book does not believe there
  };
  bool is_there(const std::string& host, JobKey key) const;
  bool is_empty(const std::string& name, Host& host) const;

  const JobTable& jobs_;
  std::map<std::string, Host> hosts_;
};

}  // namespace rollcall::sched::book
