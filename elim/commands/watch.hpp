// Watch: lsmon and lsload --watch: repeats the same question every few seconds and redraws the answer.
#pragma once

#include <chrono>

#include "common/io/command.hpp"
#include "elim/policy/show/show_load.hpp"

namespace rollcall::elim {

struct Watch {
  wire::Request request;
  show::LoadTable table;
  std::chrono::milliseconds interval = std::chrono::seconds(10);
  bool graphs = false;  // a line for each index under the table
  int pictures = 0;     // ends after so many; 0: the user ends it
};

// Runs until the user ends it: 0. If LIM does not answer, the output says so and the question is repeated.
int run_watch(io::Stage& stage, const Watch& watch);

// INTERVAL of -i: seconds, at least 0.1; none where it is invalid.
std::optional<std::chrono::milliseconds> interval_of(const CommandWords& words,
                                                     std::chrono::milliseconds otherwise);

}  // namespace rollcall::elim
