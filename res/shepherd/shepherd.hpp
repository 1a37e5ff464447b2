// shepherd: the inner process of a job on a host, as the job's user: it starts, signals, measures and limits the job, serves
// its streams, and reports to RES. The shell of res/policy/job_life.hpp.
//
// It owns the job's processes (it is their subreaper). When the job is over it sends its final report to the guard and
// ends; when the guard is gone it ends the job.
#pragma once

#include <sys/types.h>

#include "common/io/descriptor.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

struct ShepherdStart {
  wire::JobOrder order;
  io::Descriptor guard;     // a socket pair
  io::Descriptor listener;  // the Unix socket that RES dials after a restart
  io::Descriptor res;       // the connection to the RES that started us; none: it will dial
  int cgroup = -1;          // the one that we are in, which the guard has made for the job; -1: there is none
  io::Descriptor signals;   // a signalfd of all, which are blocked
  uid_t res_user = 0;       // whose connections the socket accepts
};

[[noreturn]] void run_shepherd(ShepherdStart start);

}  // namespace rollcall::res
