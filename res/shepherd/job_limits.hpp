// job_limits: a job's limits as the kernel keeps them for each of its processes. A function.
#pragma once

#include <vector>

#include "common/io/spawn.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

std::vector<io::SpawnLimit> process_limits(const wire::Limits& limits, const wire::Enforcement& enforcement);

}  // namespace rollcall::res
