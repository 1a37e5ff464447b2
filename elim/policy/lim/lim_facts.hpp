// Facts on the wire and as a value, and what is believed of a peer that says too much or no text.
#pragma once

#include <string>

#include "common/base/host_facts.hpp"
#include "common/base/result.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::lim {

wire::Facts to_wire(const HostFacts& facts);
// What a peer or a master said; fields that are not there are as in a fresh HostFacts.
HostFacts from_wire(const wire::Facts& facts);

// An error where a host says more of itself than fits into an answer beside others. Its topology counts apart.
Result<void> check_size(const wire::Facts& facts);
// What a peer says is shown on terminals: its control characters are not.
std::string shown_word(std::string text);

}  // namespace rollcall::lim
