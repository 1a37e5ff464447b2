// peek: a part of what a job has written so far, for bpeek. A function; it reads as the job's user.
#pragma once

#include "res/shepherd/job_files_here.hpp"

namespace rollcall::res {

// The caller sets `over`.
wire::PeekedPart read_part(const wire::PeekPart& asked, const JobFiles& files);

}  // namespace rollcall::res
