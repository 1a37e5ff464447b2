// process_plans: environment, limits and descriptors of the processes of a job on this host: the job, its tasks, its hooks.
// Functions.
//
// The caller must already run as the user.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/spawn.hpp"
#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

// The limits of open files: raised for this process, since many tasks need four descriptors each; and the original one, with
// which RES was started, for the processes that it starts.
class OpenFiles {
 public:
  OpenFiles();
  io::SpawnPlan as_before(io::SpawnPlan plan) const;

 private:
  rlimit before_{};
};

// Of every process: a session of its own, no signal blocked, the job's nice value.
io::SpawnPlan usual_plan(const wire::JobOrder& order);
// The same with the job's environment and its limits: of what runs before and after it.
io::SpawnPlan hook_plan(const wire::JobOrder& order, const JobPlaces& places);

// What runs before the job, in order; makes what the site's eexec reads.
std::vector<std::string> preparation(const wire::JobOrder& order, const JobPlaces& places);
// Makes the files of the job's hosts, and TMPDIR where the site wants one. Once on each host.
Result<void> make_places(const wire::JobOrder& order, JobPlaces& places);
// Makes the job's files, TMPDIR and script; the plan has no descriptors yet. Fills `files`. The error is one line: why the job
// cannot start.
Result<io::SpawnPlan> job_plan(const wire::JobOrder& order, JobFiles& files);
// Of a task of blaunch or lsrun, without descriptors.
io::SpawnPlan task_plan(const wire::JobOrder& order, const JobPlaces& places, const wire::RunTask& task);

// The job's own TMPDIR, with all that is in it. Waits.
void remove_tmp_dir(const wire::JobOrder& order, const JobPlaces& places);

}  // namespace rollcall::res
