// RemoteQueue: a queue of another cluster, as the updates of that cluster and our own bookkeeping describe it; ForwardJob: what a
// job asks of such a queue. Values. choice.hpp decides by them.
//
// They are not messages: whoever receives an update checks it and makes these values. All numbers of slots are 0 or more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/conf/lsb/lsb_queues.hpp"

namespace rollcall::sched::forward {

// The five counters of a remote queue, in slots ("Using Platform LSF MultiCluster", enhanced job forwarding).
struct Slots {
  int total = 0;        // of hosts that are ok, or closed only because they are full
  int available = 0;    // without a running job; slots of active advance reservations are not in it
  int running = 0;      // with running jobs of this queue
  int pending = 0;      // that pending jobs of this queue ask for
  int preemptable = 0;  // available, and those that this queue can take from running jobs of other queues
  friend bool operator==(const Slots&, const Slots&) = default;
};

// What an update says of a queue's slots and of its room for pending jobs of other clusters. none: without limit.
struct Figures {
  Slots slots;
  std::optional<int> job_room;   // jobs, under IMPT_JOBBKLG
  std::optional<int> slot_room;  // slots, under IMPT_SLOTBKLG
  friend bool operator==(const Figures&, const Figures&) = default;
};

// How often one job came back from the queue.
struct Returns {
  int times = 0;
  std::optional<Figures> then;  // at the last return; none: no update had come
  Duration ago{0};              // since the last return
};

// What hosts of a queue have of one resource that its cluster compares (MC_RESOURCE_MATCHING_CRITERIA). Either list may be empty.
struct ResourceValues {
  std::string name;
  std::vector<double> numbers;     // of a numeric resource, sorted, each once
  std::vector<std::string> words;  // of a string resource, sorted, each once
  bool more =
      false;  // there are too many to tell: `numbers` are the least and the greatest, `words` are left out
  friend bool operator==(const ResourceValues&, const ResourceValues&) = default;
};

// A term of a requirement: a host of the queue whose value is so.
struct ValueTerm {
  enum class Is : std::uint8_t { equal, unequal, above, at_least, below, at_most };
  std::string name;
  Is is = Is::equal;
  std::string word;              // as written
  std::optional<double> number;  // none: the term is on a string resource
  friend bool operator==(const ValueTerm&, const ValueTerm&) = default;
};

struct RemoteQueue {
  conf::RemoteQueue name;
  bool connected = true;
  bool peer = true;                // its cluster is in lsf.shared, and RemoteClusters does not leave it out
  std::string closed;              // why no job is offered to it now; "": jobs are
  bool closed_there = false;       // `closed`, since badmin qclose of its cluster closed it
  std::optional<Figures> figures;  // with our own forwards (ForwardedCounts); none: no update has come yet
  Duration age{0};                 // of the last update
  // All of the following are unknown while there are no figures.
  int priority = 1;
  std::optional<int>
      lowest_preemptable;  // PRIORITY of the lowest queue that it can preempt; none: it preempts no queue
  std::vector<std::string> types;      // host types
  std::vector<std::string> booleans;   // Boolean resources that a host of it has
  std::vector<ResourceValues> values;  // of resources that its cluster compares
  // Of the job that is decided:
  Returns returns;
  std::string refused;  // why the queue takes no job of its user now; "": it does
};

// The slots, and as much of the resource requirement as the submission cluster understands (forward_terms.hpp).
struct ForwardJob {
  int min_slots = 1, max_slots = 1;
  std::vector<std::string> types;     // type==x: a host of each is needed
  bool unknown_type = false;          // type==local, and the submission host's type is not known
  std::vector<std::string> booleans;  // defined(x), or x: a host with each is needed
  bool same_type = false;             // same[type]
  std::vector<ValueTerm> values;      // of other resources: they count where a queue tells values of them
};

}  // namespace rollcall::sched::forward
