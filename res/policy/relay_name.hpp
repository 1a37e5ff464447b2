// relay_name: what the relay of a job is called on its hosts. A function.
#pragma once

#include <string>

#include "common/wire/res.pb.h"

namespace rollcall::res {

// The same on every host of the job, since a launcher may carry the environment of one to another: "rollcall/c1/12.0.1/1000".
// "" where there is to be none: tasks of lsrun, or the site does not want it. A job on hosts of several clusters has one in any case: its
// processes ask the relay where the job's key is.
std::string relay_name(const wire::JobOrder& order);

}  // namespace rollcall::res
