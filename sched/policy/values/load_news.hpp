// LoadNews: what the master LIM says of all hosts at one moment, as it says it (common/wire/load.proto). A value.
//
// Not what it means for jobs (snapshot_keeper.hpp), and not who asks (sched/mbatchd/load_watch.hpp).
#pragma once

#include "common/wire/load.pb.h"

namespace rollcall::sched {

using LoadNews = wire::Reply::Cluster;

// What a LIM that does not know AskCluster says to four questions.
struct FourAnswers {
  wire::Reply hosts;       // to AskHosts
  wire::Reply effective;   // to AskLoad, run queues by effective length
  wire::Reply normalised;  // ... normalised by CPUs and CPU factor
  wire::Reply shared;      // to AskShared, dynamic resources
};
LoadNews load_news_of(FourAnswers answers);

}  // namespace rollcall::sched
