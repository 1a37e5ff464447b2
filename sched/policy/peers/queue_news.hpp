// queue_news: figures of a queue of another cluster, as messages have them and as the choice has them. Pure functions.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/wire/job.pb.h"
#include "common/wire/peer.pb.h"
#include "sched/policy/forward/remote_queues.hpp"

namespace rollcall::sched::peers {

// Errors: figures that cannot be true.
Result<forward::QueueNews> news_of(const std::string& cluster, const wire::QueueFigures::OfQueue& told,
                                   forward::UpdateOrder order);

wire::RemoteSlots slots_of(const forward::Figures& figures);

}  // namespace rollcall::sched::peers
