// remote_tasks: one command on some hosts at once, through their RES, joined to our terminal or pipes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/link_patience.hpp"
#include "common/io/command.hpp"
#include "common/io/res_client.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

struct RemoteTasks {
  std::vector<std::string> hosts;
  wire::RunTask task;  // of each; `task` (LSF_PM_TASKID) is its place in `hosts`, from `first_task`
  unsigned first_task = 1;
  bool input = false;  // our standard input goes to it: where there is one host
  // Of a job (blaunch): how long a silent host is waited for, and what follows. None: each task is by itself.
  std::optional<LinkPatience> patience;
  // Of a job on hosts of several clusters: how RES of each host is reached, by the host's name; hosts that are not here have none.
  std::optional<std::map<std::string, io::ResClient::SpanHost>> span = {};
};

// Waits until all have ended. Gives the exit status of the first one, in the order of `hosts`, that has failed.
int run_remote_tasks(io::Stage& stage, const RemoteTasks& tasks);

// What a task inherits from this process: environment, working directory, umask.
wire::RunTask task_from_here();

// All hosts of the cluster but those that are unavailable or lack a RES, of which it prints a line each. None: LIM does not
// answer, and the error was printed.
std::optional<std::vector<std::string>> hosts_that_are_up(io::Stage& stage);

// Hosts by LIM: `least` 0: all that fit. Prints why there are none.
std::optional<std::vector<std::string>> placed_hosts(io::Stage& stage, const std::string& resreq,
                                                     const std::vector<std::string>& among, unsigned least);

// The official name, or what was given: where lsf.cluster is not read, the RES that is reached says whether it is meant.
std::string official_name(io::Stage& stage, const std::string& host);
std::string this_host(io::Stage& stage);

}  // namespace rollcall::res
