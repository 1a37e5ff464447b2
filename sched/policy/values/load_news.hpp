// LoadNews: what the master LIM says of all hosts at one moment, as it says it (common/wire/load.proto). A value.
#pragma once

#include "common/wire/load.pb.h"

namespace rollcall::sched {

struct LoadNews {
  wire::Reply facts;       // to AskHosts
  wire::Reply effective;   // to AskLoad, run queues by effective length
  wire::Reply normalised;  // ... normalised by CPU and factor
  wire::Reply shared;      // to AskShared, dynamic ones
};

}  // namespace rollcall::sched
