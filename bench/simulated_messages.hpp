// The messages, addresses and measurements of simulated TaskStarters. Those that dial themselves and those of simulated hosts share them.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <string>

#include "bench/simulated_starters.hpp"

namespace rollcall::bench {

double seconds_since(std::chrono::steady_clock::time_point start);
Error failed(const std::string& what);  // with errno's text

// A serialized FromStarter: task `number` has been started; hosts have `per_host` tasks each.
std::string registration(std::size_t number, std::size_t per_host);
// A serialized FromStarter: a task has ended well.
std::string task_ended();

// The address of pam that connection `i` dials. One address of this host has too few ports for fast searches beyond some 10,000
// connections; 127.0.0.0/8 is all ours, and pam listens on every address.
in_addr address_of_pam(const Simulation& simulation, std::size_t i);

}  // namespace rollcall::bench
