// program_place: where the program that is running lies: its neighbours (bin, etc, conf) are found from there.
#pragma once

#include <string>

namespace rollcall::io {

// The folder of the running program's file, symbolic links followed; "" where the kernel does not tell.
std::string program_directory();

}  // namespace rollcall::io
