// What TaskStarter tells pam, made from facts. The messages are described in common/wire/task.proto.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/exit_status.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/task_usage.hpp"
#include "common/io/spawn.hpp"
#include "common/wire/task.pb.h"
#include "taskstarter/parent_watch.hpp"
#include "taskstarter/starting_point.hpp"

namespace rollcall::taskstarter {

// The task as it is told to pam: it runs, or it could not be started.
struct TaskFacts {
  std::span<char* const> words;
  std::int64_t start_time_us = 0;  // since 1970
  pid_t pid = 0;
  std::optional<io::SpawnError> failure;
};

// Microseconds since 1970.
std::int64_t wall_clock_us();

// Of connections before this one.
struct Earlier {
  bool told = false;                 // the registration
  std::optional<std::uint32_t> tid;  // what pam had said
};

// `no_cgroup`: why there is none.
wire::FromStarter registration(const StartingPoint& start, const TaskFacts& task, const Earlier& earlier,
                               const std::string& no_cgroup);
wire::FromStarter parent_lost(const StartingPoint& start, const ParentEnd& end);
wire::FromStarter starter_lost(const StartingPoint& start);
wire::FromStarter task_ended(const ExitStatus& status, std::int64_t end_time_us, unsigned leftovers,
                             const TaskUsage& usage);

// How long a pam that said this is dialed when it is out of reach.
Duration patience_of(const wire::Welcome& welcome);

// Adds what a process that has ended, and all that it has waited for, has used.
void add(TaskUsage& total, const rusage& used);

}  // namespace rollcall::taskstarter
