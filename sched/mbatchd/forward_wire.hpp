// forward_wire: figures of queues as messages and as words of the policies, and what the files and a job's record mean for the choice
// of a queue. Functions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/batch.pb.h"
#include "common/wire/peer.pb.h"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/cycle/queue_figures.hpp"
#include "sched/policy/forward/choice.hpp"
#include "sched/policy/forward/remote_queues.hpp"
#include "sched/policy/peers/queue_news.hpp"
#include "sched/policy/peers/user_map.hpp"
#include "sched/policy/peers/verdict_rows.hpp"
#include "sched/policy/values/book_config.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::mbatchd {

using sched::peers::news_of;
using sched::peers::rows_of;
using sched::peers::slots_of;

void put(const sched::cycle::QueueFigures& figures, wire::QueueFigures::OfQueue& told);
// For bclusters -l; the queue has figures.
void put(const sched::forward::RemoteQueue& queue, wire::BatchReply::ClusterRow::Figures& figures);
// What is left under IMPT_JOBBKLG and IMPT_SLOTBKLG. `waiting`: jobs of other clusters that pend in the queue.
void put_room(const conf::QueueRow& queue, const sched::book::SlotCount& waiting,
              wire::QueueFigures::OfQueue& told);

// MC_PLUGIN_SCHEDULE_ENHANCE, MC_PLUGIN_REMOTE_RESOURCE, ROLLCALL_FORWARD_ROOM_FIRST and MAX_RSCHED_TIME.
sched::forward::Settings settings_of(const sched::ConfigView& files, const conf::QueueRow& queue);
// FWD_USERS: all ~user ..., or users and groups; none: everybody.
bool may_forward(const sched::ConfigView& files, const conf::QueueRow& queue, const wire::Submission& asked);

// UserMap of lsb.users, whose groups are those of lsb.users. `files` must outlive it.
sched::peers::UserMap user_map_of(const sched::ConfigView& files);

sched::forward::Figures figures_of(const wire::RemoteSlots& slots);

// How often the job came back from each queue, and with which figures the last time.
std::vector<std::pair<conf::RemoteQueue, sched::forward::Returns>> returns_of(const wire::JobRecord& record,
                                                                              WallTime now);

}  // namespace rollcall::mbatchd
