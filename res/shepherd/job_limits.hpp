// job_limits: sets the limits that the kernel enforces on each process of a job. Functions.
#pragma once

#include <vector>

#include "common/io/spawn.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

std::vector<io::SpawnLimit> process_limits(const wire::Limits& limits, const wire::Enforcement& enforcement);

// For bmod: changes the limits of running processes. A limit is raised as far as the kernel allows.
void change_limits(const wire::Limits& limits, const wire::Enforcement& enforcement,
                   const std::vector<pid_t>& processes);

}  // namespace rollcall::res
