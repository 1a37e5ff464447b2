// guard: the outer process of a job on a host: it owns the job's directory and saves the job's end there.
//
// It runs as RES does (root where RES is root), in the job's directory, and reads nothing that the user could change. It
// forks the shepherd, which becomes the user, waits for it, and saves its reports on disk:
//   .        flock: held by guard and shepherd while one of them lives
//   order    what is run (RES's); without write permission: a guard has begun
//   end      FromRes.JobOver, serialized, marked as whole, durable        post    FromRes.PostOver, in the same way
//   s        the shepherd's Unix socket, for RES                          u/      the user's own
// A shepherd that ends without its final report was killed: the guard then ends what it started, and the end says SHEPHERD_LOST. On a
// further host of the job the shepherd has no end to report; there the end says SHEPHERD_LOST unless the shepherd exits with 0.
#pragma once

#include "common/io/descriptor.hpp"

namespace rollcall::res {

// Descriptors that RES has given: the directory, locked, and the connection to RES (none: RES will dial).
[[noreturn]] void run_guard(io::Descriptor directory, io::Descriptor res);

}  // namespace rollcall::res
