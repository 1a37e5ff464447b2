// borrowed: what lsload and lshosts ask of hosts of other clusters that are lent to this one (host@cluster, all@cluster). LIM does not
// know them: mbatchd has what their cluster has told (docs/decisions/0109).
#pragma once

#include <string>
#include <vector>

#include "common/io/command.hpp"
#include "elim/policy/show/show_hosts.hpp"
#include "elim/policy/show/show_load.hpp"

namespace rollcall::elim {

// The hosts that a command line names.
struct NamedHosts {
  std::vector<std::string> ours, borrowed;
};
NamedHosts named_hosts(const CommandWords& words);
// Prints that the option is for hosts of this cluster alone. Gives kFailed.
int not_of_borrowed(io::Stage& stage, const std::string& option);

// None: there is no answer, and the error was printed.
std::optional<show::Loads> borrowed_loads(io::Stage& stage, const std::vector<std::string>& hosts,
                                          const std::string& resreq);
std::optional<show::Hosts> borrowed_facts(io::Stage& stage, const std::vector<std::string>& hosts,
                                          const std::string& resreq);

}  // namespace rollcall::elim
