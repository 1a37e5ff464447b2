// process_plans: what the processes of a job are started with on this host: the job itself, its tasks, its hooks. Functions.
//
// Whoever calls this has become the user already.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/spawn.hpp"
#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

// The limit of open files: raised for this process, since a host of many processors has more tasks, of four descriptors each, than
// a program usually may have files; and as it was, which is as RES was started, for what it starts.
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
void make_places(const wire::JobOrder& order, JobPlaces& places);
// Makes what the job finds there (its files, TMPDIR, its script); without descriptors. `files` is filled. The error is the line
// that says why the job cannot start.
Result<io::SpawnPlan> job_plan(const wire::JobOrder& order, JobFiles& files);
// Of a task of blaunch or lsrun, without descriptors.
io::SpawnPlan task_plan(const wire::JobOrder& order, const JobPlaces& places, const wire::RunTask& task);

// The job's own TMPDIR, with all that is in it. Waits.
void remove_tmp_dir(const wire::JobOrder& order, const JobPlaces& places);

}  // namespace rollcall::res
