// What the commands that ask the master for hosts have in common.
#pragma once

#include <string>

#include "common/io/command.hpp"
#include "common/io/lim_client.hpp"

namespace rollcall::elim {

// The official name of this host, or what the kernel calls it: what type==local means.
std::string this_host(const conf::ClusterFiles& files);

// Prints why there is no answer; for a bad resource requirement with the string and a caret under the place.
int fail_with(io::Stage& stage, const io::ClientError& error, const std::string& resreq);

// lshosts -s and lsload -s: shared resources, by the names in `words`.
int print_shared(io::Stage& stage, const CommandWords& words, bool dynamic);

}  // namespace rollcall::elim
