// What lshosts -gpu prints: a row for each GPU of the hosts. A function of the master's answer.
//
// Elims count GPUs (docs/decisions/0036): a host has as many as the first of ngpus_physical, ngpus and hw_gpus that it has a
// value of. Model, driver and factor are shown where a site defines gpu_modelN or gpu_model, gpu_driver and gpu_maxfactor,
// the names of 10.1; else "-". Not here: which jobs have them (bhosts -gpu).
#pragma once

#include <string>

#include "elim/policy/show/show_hosts.hpp"
#include "elim/policy/show/show_load.hpp"

namespace rollcall::elim::show {

// "" where no host counts GPUs. `wide`: nothing is cut.
std::string hosts_gpus(const Hosts& hosts, const Loads& loads, bool wide);

}  // namespace rollcall::elim::show
