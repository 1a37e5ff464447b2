// Simulated starters: many TaskStarters in one process, without tasks. They speak the real protocol with pam.
//
// Not a launcher that could be used for anything else: it registers all of a wave, waits for every Welcome,
// reports every task's end, waits until pam has closed every connection, and goes on with the next wave. One
// thread, epoll.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::bench {

struct Simulation {
  std::vector<std::string> hosts;  // of pam, as -p gives them
  int port = 0;
  io::Key key{};
  std::size_t tasks = 0;
  std::size_t wave = 15000;  // connections that are open at once, at the most
  std::size_t window =
      2000;  // of these, at the most so many that are not welcomed yet; pam's backlog holds 4096
};

struct Times {
  double registering = 0;  // seconds from the first connect to the last Welcome, summed over the waves
  double reporting = 0;  // seconds from the first TaskEnded to the last connection that pam closed, likewise
  double signalling =
      0;  // seconds from a signal to pam until the last task's relay has it, likewise; 0: not measured
  std::size_t waves = 0;
};

// The simulation that the words after -p HOST[,HOST]:PORT ask for; the other words of LSF_TS_OPTIONS are
// passed over.
Result<Simulation> simulation_of(const std::string& ts_options);

// Errors: a connection that failed or that pam ended, and in which state it was.
Result<Times> simulate(const Simulation& simulation);

}  // namespace rollcall::bench
