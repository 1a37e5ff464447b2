// random_bytes: unpredictable bytes for keys, and for unique names of a program's run.
#pragma once

#include <cstddef>
#include <string>

namespace rollcall::io {

// From the kernel. Blocks while a machine that has just booted has none yet.
std::string random_bytes(std::size_t size);

}  // namespace rollcall::io
