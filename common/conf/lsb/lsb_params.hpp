// LsbParams: the typed view of lsb.params: how the batch system as a whole behaves. A value.
//
// Rules: the configuration references; where versions print different defaults the oldest that all know is taken
// (docs/decisions/0013).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/conf/lsb/parallel_links.hpp"
#include "common/conf/lsb/preemption_limits.hpp"
#include "common/conf/section_file.hpp"
#include "common/conf/shown_lines.hpp"

namespace rollcall::conf {

// MC_PLUGIN_SCHEDULE_ENHANCE: how a job's remote queue is chosen.
struct ForwardChoice {
  enum class Kind { off, resource_only, count_preemptable };
  Kind kind = Kind::off;
  bool high_queue_priority = false;  // these three only with count_preemptable
  bool preemptable_queue_priority = false;
  bool pending_when_no_slots = false;
};

struct LsbParams {
  Duration mbd_sleep_time = std::chrono::seconds(60);
  Duration sbd_sleep_time = std::chrono::seconds(30);
  int job_accept_interval = 0;  // in MBD_SLEEP_TIME; LSF says 1, as sites install it 0
  int max_sbd_fail = 3;
  Duration clean_period = std::chrono::seconds(3600);
  int max_job_num = 1000;
  int hist_hours = 5;
  Duration pg_susp_it = std::chrono::seconds(180);
  std::vector<std::string> default_queues;
  std::string default_host_spec;
  std::string default_project = "default";
  std::string default_application;     // of a job that names none; "": none
  std::optional<int> preexec_retries;  // LOCAL_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY
  int remote_preexec_retries = 5;      // REMOTE_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY
  int max_job_id = 999'999;            // MAX_JOBID
  int max_array_size = 1000;           // MAX_JOB_ARRAY_SIZE
  std::optional<int> max_requeue;      // MAX_JOB_REQUEUE
  PreemptionLimits preemption_limits;
  PreemptFor preempt_for;
  bool preempt_exclusive = false;   // PREEMPT_JOBTYPE=EXCLUSIVE
  bool use_suspended_slots = true;  // USE_SUSP_SLOTS
  std::vector<std::string> preemptable_resources;
  bool exit_after_preexec_retries = false;  // LOCAL_MAX_PREEXEC_RETRY_ACTION=EXIT
  int max_user_storage_mb = 4096;           // MAX_USER_JOB_STORAGE; 0: any number
  std::optional<int> max_requeue_pause_s;   // MAX_REQUEUE_PAUSE; none: MBD_SLEEP_TIME
  int history_days = 0;                     // JOB_HISTORY_DAYS; 0: for ever
  int terminate_interval_s = 10;            // JOB_TERMINATE_INTERVAL
  int preproc_timeout_min = 0;              // JOB_PREPROC_TIMEOUT; 0: none
  int postproc_timeout_min = 0;             // JOB_POSTPROC_TIMEOUT; 0: none
  bool reserve_per_task = false;            // RESOURCE_RESERVE_PER_TASK, or ..._PER_SLOT
  std::optional<double> exit_rate;          // GLOBAL_EXIT_RATE, of hosts that say nothing of it
  double exit_rate_minutes = 5;             // JOB_EXIT_RATE_DURATION
  // How long event files are kept; 0: the parameter is off.
  int event_files = 0;                // MAX_EVENT_ARCHIVE_FILE
  int account_kb = 0;                 // ACCT_ARCHIVE_SIZE
  int account_days = 0;               // ACCT_ARCHIVE_AGE
  int account_files = 0;              // MAX_ACCT_ARCHIVE_FILE
  std::optional<int> account_minute;  // ACCT_ARCHIVE_TIME, minutes from midnight
  Duration mc_reclaim_delay = std::chrono::minutes(10);
  ForwardChoice forward_choice;
  Duration mc_update_interval{0};  // 0: no counters are sent
  std::optional<Duration> mc_rusage_update_interval;
  Duration mc_pending_reason_interval = std::chrono::seconds(300);
  int mc_pending_reason_kb = 512;
  std::vector<std::string> mc_matching_resources;
  std::vector<std::string> compute_unit_types;  // finest first
  std::string default_compute_unit_type;        // the one marked "!"; else the first
  ParallelLinks links;                          // DJOB_*, of queues that say nothing of them
  ShownLines shown;                             // what bparams and badmin showconf show as it is written
  Row cells;                                    // all of section Parameters, for checks within common/conf
};

LsbParams read_lsb_params(const SectionFile& file, Problems& problems);

}  // namespace rollcall::conf
