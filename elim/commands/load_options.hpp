// load_options: the options that lsload and lsmon share.
#pragma once

#include <optional>
#include <string>

#include "common/io/command.hpp"
#include "elim/policy/show/show_load.hpp"

namespace rollcall::elim {

// -N -E -R -I and the hosts.
wire::Request load_request(io::Stage& stage, const CommandWords& words);
// -w -l -I.
show::LoadTable load_table_of(const CommandWords& words);
// The message about two options that exclude each other; none where there are none.
std::optional<std::string> contradiction(const CommandWords& words);
// The options themselves, to be put into a command's shape.
std::vector<CommandOption> load_options();

}  // namespace rollcall::elim
