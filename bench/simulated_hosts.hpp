// Simulated hosts: the relays of many hosts in one process, without tasks. Each says what the TaskStarters of its host would, in one
// conversation with pam (docs/protocol.md, "Through the relay of a host"). They speak the real protocol.
#pragma once

#include "bench/simulated_starters.hpp"

namespace rollcall::bench {

// Registers all hosts of a wave (simulation.wave / per_host of them, at least one), waits for every Welcome, sends pam a signal for
// all (we are its launcher), waits until each task has it, reports every task's end, waits until pam has closed every connection, and
// goes on. Errors: a connection that failed or that pam ended.
Result<Times> simulate_hosts(const Simulation& simulation, std::size_t per_host);

}  // namespace rollcall::bench
