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
#include "common/conf/section_file.hpp"

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
  std::string default_application;  // of a job that names none; "": none
  std::optional<int> max_preexec_retry;
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
  Row cells;                                    // all of section Parameters, also what is not read here
};

LsbParams read_lsb_params(const SectionFile& file, Problems& problems);

}  // namespace rollcall::conf
