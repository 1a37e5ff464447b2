// random_bytes: bytes that nobody can guess and nothing else has: keys, and names of one run of a program.
#pragma once

#include <cstddef>
#include <string>

namespace rollcall::io {

// The kernel's. It waits where a machine has just begun and has none yet.
std::string random_bytes(std::size_t size);

}  // namespace rollcall::io
