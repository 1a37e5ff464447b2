// Inner: the level that is the task's parent, talks to pam, and reports.
//
// It carries out what policy/task_life decides. It leads a process group of its own (but in a shared group), so that
// what a launcher does to the group it made reaches the outer level only, and a stopped outer level stops nothing.
#pragma once

#include <span>
#include <string>

#include "common/io/job_cgroup.hpp"
#include "taskstarter/key_search.hpp"
#include "taskstarter/level_link.hpp"
#include "taskstarter/policy/options.hpp"
#include "taskstarter/starting_point.hpp"

namespace rollcall::taskstarter {

// In the forked child, every signal blocked and readable from `signals`; `cgroup` is the job's, both levels hold it; `relay`: where
// another TaskStarter's relay is, "": nowhere. Tells the outer level how to end, and exits.
[[noreturn]] void run_inner(const StartingPoint& start, const Options& options, const Result<SiteWords>& site,
                            std::span<char* const> words, int signals, LevelLink outer, io::JobCgroup cgroup,
                            const std::string& relay);

}  // namespace rollcall::taskstarter
