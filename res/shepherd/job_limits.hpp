// job_limits: a job's limits as the kernel keeps them for each of its processes. Functions.
#pragma once

#include <vector>

#include "common/io/spawn.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

std::vector<io::SpawnLimit> process_limits(const wire::Limits& limits, const wire::Enforcement& enforcement);

// bmod: what can be changed of processes that run. A limit is raised as far as the kernel lets us.
void change_limits(const wire::Limits& limits, const wire::Enforcement& enforcement,
                   const std::vector<pid_t>& processes);

}  // namespace rollcall::res
