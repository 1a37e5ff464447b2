// MalformedLines: what a command says of lines of lsf.conf that are no comment and no NAME=VALUE. A function.
//
// Such a line has no name, so no command can tell whether it matters to it: the command goes on without the line and says so. Daemons and
// ckconfig have each of these lines among their Problems; pam and TaskStarter end with it.
#pragma once

#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

// "FILE:LINE: found X, expected Y; broken too: lines 4, 9; ignored"; "": every line can be read, or the file cannot.
std::string malformed_lines(const FileSources& sources);

}  // namespace rollcall::conf
