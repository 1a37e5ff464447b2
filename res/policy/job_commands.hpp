// job_commands: what is run before and after a job, in order, as lines for /bin/sh. Functions.
#pragma once

#include <string>
#include <vector>

#include "common/wire/res.pb.h"

namespace rollcall::res {

// The files of -f that the job needs; then the queue's pre-execution, and the job's ends the preparation. "" is none.
std::vector<std::string> commands_before(const wire::ToRes::StartJob& start);
// LSF_SERVERDIR/eexec, which reads what the esubs printed from `data_file`; "" where there is none. It is behind the others, and
// whatever it exits with keeps no job from running (docs/decisions/0038).
std::string eexec_command(const wire::JobOrder& order, const std::string& data_file);
// The files of -f that go back. What goes wrong is added to `errors_file`, where there is one.
std::vector<std::string> commands_back(const wire::ToRes::StartJob& start, const std::string& errors_file);
// The job's post-execution, then the queue's.
std::vector<std::string> commands_after(const wire::ToRes::StartJob& start);

}  // namespace rollcall::res
