// opened_hosts: what badmin hopen says of borrowed hosts that their own clusters have closed. A function over the Book's answer, since only
// the snapshot has what providers tell.
#pragma once

#include "common/wire/batch.pb.h"
#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::answers {

// `reply`: of a request to open hosts: one outcome for each host, "Open <HOST> ...... done".
void say_what_stays_closed(const cycle::Snapshot& snapshot, wire::BatchReply& reply);

}  // namespace rollcall::sched::answers
