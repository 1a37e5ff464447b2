// guard: the outer process of a job on a host: it owns the job's directory, and what is found out is never lost.
//
// It runs as RES does (root where RES is root), in the job's directory, and reads nothing that the user could change. It
// forks the shepherd, which becomes the user; it waits for it, and keeps what it says on disk:
//   order    what is run                    (RES's)         lock    flock: held by guard and shepherd while one lives
//   begun    a guard has begun                              s       the shepherd's Unix socket, for RES
//   end      FromRes.JobOver, serialized; durable           post    FromRes.PostOver, serialized; durable
//   u/       the user's own
// A shepherd that ends without its last word was killed: what it started is ended then, and the end says SHEPHERD_LOST.
#pragma once

#include "common/io/descriptor.hpp"

namespace rollcall::res {

// Descriptors that RES has given: the lock, and the connection to RES (none: RES will dial).
[[noreturn]] void run_guard(io::Descriptor lock, io::Descriptor res);

}  // namespace rollcall::res
