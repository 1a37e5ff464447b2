// host_facts: converts a host's facts between wire and value, for LIM, mbatchd and the commands. Pure functions.
//
// What LIM's answers add to a host's facts (run windows, thresholds) is not part of HostFacts.
#pragma once

#include <string>

#include "common/base/host_facts.hpp"
#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::wire {

Facts to_wire(const HostFacts& facts);
// The facts that a peer or a master sent, without control characters. Missing fields are as in a fresh HostFacts.
HostFacts from_wire(const Facts& facts);

// An error where a host's facts would not fit into an answer with others. The topology is counted separately.
Result<void> check_size(const Facts& facts);
// A peer's text as terminals may show it: '?' for each control character.
std::string shown_word(std::string text);

}  // namespace rollcall::wire
