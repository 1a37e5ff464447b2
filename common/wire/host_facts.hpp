// Facts of a host on the wire and as a value, once for LIM, mbatchd and the commands. Pure functions.
//
// What LIM's answers add to a host's facts (run windows, thresholds) is not part of HostFacts.
#pragma once

#include <string>

#include "common/base/host_facts.hpp"
#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::wire {

Facts to_wire(const HostFacts& facts);
// What a peer or a master said, without control characters. Fields that are not there are as in a fresh HostFacts.
HostFacts from_wire(const Facts& facts);

// An error where a host says more of itself than fits into an answer beside others. Its topology counts apart.
Result<void> check_size(const Facts& facts);
// A peer's text as terminals may show it: '?' for each control character.
std::string shown_word(std::string text);

}  // namespace rollcall::wire
