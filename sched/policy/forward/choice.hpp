// choose(): which queues of other clusters a job is offered to, by MC_PLUGIN_SCHEDULE_ENHANCE. A pure function.
//
// The offers are made in turn, the next one after the one before was refused, never two at once; the caller does that.
//
// A queue is left out if its cluster is not connected, if it is closed to offers, if it refuses the job's user, if it lacks what the job asks
// for, or if the job came back from it three times and its answer is still the same. The others are in tiers, and a tier is used up
// before the next:
//
//   tier        | the queue has                                    | order within the tier
//   ------------+--------------------------------------------------+---------------------------------------------------------
//   free        | available - pending >= the slots asked           | priority (H), largest available - pending
//   preemptable | preemptable - pending >= the slots asked         | priority (H), lowest preemptable priority (P), largest
//               |                                                  | preemptable - pending
//   room        | room under IMPT_JOBBKLG and IMPT_SLOTBKLG        | as in the tier before it
//   unknown     | sent no update yet                               |
//
// (H): with HIGH_QUEUE_PRIORITY; (P): with PREEMPTABLE_QUEUE_PRIORITY. Equal queues stay in the order of SNDJOBS_TO, which is also
// the order of all queues without MC_PLUGIN_SCHEDULE_ENHANCE (tier `listed`). With MC_PLUGIN_REMOTE_RESOURCE alone they are in one
// tier, `available`, the most available slots first. RESOURCE_ONLY has no tier preemptable;
// PENDING_WHEN_NOSLOTS has no tier room, but with room_before_preemption. Settings::room_before_preemption swaps these two tiers. Why: docs/decisions/0086.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/conf/lsb/lsb_params.hpp"
#include "sched/policy/forward/queue_table.hpp"

namespace rollcall::sched::forward {

inline constexpr std::size_t kMostOffers = 3;  // of one job in a session
inline constexpr int kMostReturns = 3;         // from one queue, until its answer differs

struct Settings {
  conf::ForwardChoice choice;    // MC_PLUGIN_SCHEDULE_ENHANCE
  bool remote_resource = false;  // MC_PLUGIN_REMOTE_RESOURCE; it has an effect of its own only without that
  // The other reading of LSF's documents: a full queue with room for pending jobs comes before one that has to preempt.
  bool room_before_preemption = false;
  // MAX_RSCHED_TIME: a queue from which the job came back three times is tried again after it; none: never.
  std::optional<Duration> retry_after = std::chrono::minutes(20);
};

enum class Tier : std::uint8_t { listed, free, preemptable, room, available, unknown };

enum class LeftOut : std::uint8_t {
  disconnected,
  no_peer,        // RemoteQueue::peer is false
  closed,         // RemoteQueue::closed says why
  refused,        // RemoteQueue::refused says why
  lacks_type,     // Verdict::lacking: which of the job's types
  lacks_boolean,  // Verdict::lacking: which of the job's Booleans
  lacks_value,    // Verdict::lacking: which of the job's values
  too_small,      // it has fewer slots in all than the job asks for
  returned,       // the job came back three times
  no_slots,       // not even after preemption, and PENDING_WHEN_NOSLOTS is set
  no_room,        // nor slots
};

// What became of one queue, and by which numbers.
struct Verdict {
  std::optional<Tier> tier;  // none: left out
  LeftOut why{};             // only without a tier
  int place = 0;             // 1: offered first; 0: left out, or after the last offer
  std::uint32_t lacking = 0;
  bool mixed_types =
      false;  // the job asks for one host type, and the queue has several: its counters mislead
  std::int64_t free = 0, preemptable = 0;  // available - pending, preemptable - pending; 0 while unknown
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct Choice {
  std::vector<std::size_t> offers;  // places in `queues`, first offer first; empty: the job pends
  std::vector<Verdict> verdicts;    // one for each of `queues`, in their order
};

// `queues`: in the order of SNDJOBS_TO.
Choice choose(const ForwardJob& job, const QueueTable& queues, const Settings& settings);

// No queue takes a job of this user now, whatever the job asks for.
bool none_takes_the_user(const Choice& choice);

}  // namespace rollcall::sched::forward
