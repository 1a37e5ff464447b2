// Functions of the configuration: what each part of mbatchd needs of the files in force.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/event_files.hpp"

namespace rollcall::mbatchd {

// Official names of this cluster's servers.
std::set<std::string> servers_of(const Configuration& configuration);
// Invalid values are logged and left out.
FileAges file_ages_of(const Configuration& configuration);
// The MBD_START of the event files.
wire::JobEvent start_event(const Configuration& configuration, WallTime now);
// LOAD_INDEX: the load indices, built-in ones first.
wire::JobEvent indices_event(const Configuration& configuration, WallTime now);
wire::JobEvent die_event(const Configuration& configuration, WallTime now);
// One line for each parameter that has changed and takes effect only after a restart.
std::vector<std::string> what_needs_a_restart(const Configuration& before, const Configuration& next);
// The parameters of lsb.params as they were read: "NAME = value" lines.
std::string parameter_lines(const Configuration& configuration);

}  // namespace rollcall::mbatchd
