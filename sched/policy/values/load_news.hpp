// LoadNews: the master LIM's answer about all hosts at one moment, as it is on the wire (common/wire/load.proto). A value.
//
// snapshot_keeper.hpp applies it to the snapshot; sched/mbatchd/load_watch.hpp requests it.
#pragma once

#include "common/wire/load.pb.h"

namespace rollcall::sched {

using LoadNews = wire::Reply::Cluster;

// The answers to four requests of a LIM of an older release, which does not know AskCluster.
struct FourAnswers {
  wire::Reply hosts;       // to AskHosts
  wire::Reply effective;   // to AskLoad, run queues by effective length
  wire::Reply normalised;  // ... normalised by CPUs and CPU factor
  wire::Reply shared;      // to AskShared, dynamic resources
};
LoadNews load_news_of(FourAnswers answers);

}  // namespace rollcall::sched
