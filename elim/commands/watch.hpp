// lsmon and lsload --watch: the same question again every few seconds, drawn in place.
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
  int pictures = 0;     // so many, then it ends; 0: until the user ends it
};

// Until the user ends it: 0. A LIM that does not answer is said in the picture and asked again.
int run_watch(io::Stage& stage, const Watch& watch);

// INTERVAL of -i: seconds, at least 0.1; nothing where it is none.
std::optional<std::chrono::milliseconds> interval_of(const CommandWords& words,
                                                     std::chrono::milliseconds otherwise);

}  // namespace rollcall::elim
