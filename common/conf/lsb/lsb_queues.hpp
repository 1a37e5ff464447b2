// LsbQueues: the typed view of lsb.queues: one queue for each section. Values.
//
// The limits and programs of a queue's jobs are its JobDefaults; priorities, preemption and shares are here. Hosts and users are
// named, not looked up (lsb_files.hpp checks them).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/lsb/job_defaults.hpp"
#include "common/conf/shown_lines.hpp"

namespace rollcall::conf {

// "queue@cluster" of SNDJOBS_TO.
struct RemoteQueue {
  std::string queue, cluster;
  friend bool operator==(const RemoteQueue&, const RemoteQueue&) = default;
};

// PREEMPTION: which queues it may preempt, and which may preempt it. An empty list: all queues of lower (higher) priority.
struct Preemption {
  std::optional<std::vector<HostItem>> preemptive;  // queues with the preference behind "+"
  std::optional<std::vector<HostItem>> preemptable;
};

struct QueueRow {
  std::string name;
  int priority = 1;
  JobDefaults jobs;
  std::optional<int> queue_limit, user_limit, host_limit;  // QJOB_LIMIT UJOB_LIMIT HJOB_LIMIT
  std::optional<double> processor_limit;                   // PJOB_LIMIT
  TimeWindows run_windows, dispatch_windows;
  std::map<std::string, Threshold> thresholds;  // by formal index name
  std::optional<std::vector<Share>> fairshare;  // USER_SHARES
  Preemption preemption;
  std::vector<HostItem> hosts;     // empty: all
  std::vector<std::string> users;  // empty: all
  std::vector<std::string> administrators;
  bool exclusive = false;
  enum class Interactive { both, none, only } interactive = Interactive::both;
  std::optional<int> migrate_after;       // MIG, minutes
  std::optional<int> reserve_slots_for;   // SLOT_RESERVE=MAX_RESERVE_TIME[n], in MBD_SLEEP_TIME
  std::optional<int> new_job_delay;       // NEW_JOB_SCHED_DELAY, seconds
  std::optional<double> accept_interval;  // JOB_ACCEPT_INTERVAL, in MBD_SLEEP_TIME; none: that of lsb.params
  bool rerunnable = false;
  std::optional<int> overrun_minutes, underrun_minutes;  // JOB_OVERRUN JOB_UNDERRUN
  std::optional<double> idle;                            // JOB_IDLE, CPU time to run time
  std::vector<RemoteQueue> send_jobs_to;                 // SNDJOBS_TO
  std::vector<std::string> receive_jobs_from;            // RCVJOBS_FROM: clusters, or allclusters
  std::optional<int> import_backlog = 50;                // IMPT_JOBBKLG; none: infinit
  std::optional<int> import_slot_backlog;                // IMPT_SLOTBKLG; none: infinit
  std::optional<int> max_reschedule_time = 20;           // MAX_RSCHED_TIME, in MBD_SLEEP_TIME; none: infinit
  std::vector<std::string> forward_users;                // FWD_USERS
  Place place;
  ShownLines shown;  // what bqueues -l shows as it is written
  Row cells;         // all of the section, for checks within common/conf
};

// `told`: threshold columns whose resource has an invalid row in lsf.shared; they need no second warning.
std::vector<QueueRow> read_lsb_queues(const SectionFile& file, const IndexTable& indices,
                                      const LimitUnit& unit, Problems& problems,
                                      const std::vector<std::string>& told = {});

// All thresholds of a row, in fractions for ut.
std::map<std::string, Threshold> read_thresholds(const Row& row, const IndexTable& indices,
                                                 Problems& problems);

}  // namespace rollcall::conf
