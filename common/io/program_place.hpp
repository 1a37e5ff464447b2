// program_place: the folder of the running program; bin, etc and conf are found from there.
#pragma once

#include <string>

namespace rollcall::io {

// The folder of the running program's file, symbolic links followed; "" where the kernel does not tell it.
std::string program_directory();

}  // namespace rollcall::io
