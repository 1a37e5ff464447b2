// Facts on the wire and as a value: two functions.
#pragma once

#include "common/base/host_facts.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::lim {

wire::Facts to_wire(const HostFacts& facts);
// What a peer or a master said; fields that are not there are as in a fresh HostFacts.
HostFacts from_wire(const wire::Facts& facts);

}  // namespace rollcall::lim
