// ProgramSettings: the lsf.conf parameters that only one program uses. All are read and checked together, so that `lsadmin
// ckconfig` reports errors before the program starts. Values.
//
// Parameters that several programs use are in LoadSettings (cluster_files.hpp) and BatchSettings (batch_settings.hpp). pam has
// pam/policy/pam_config.hpp, since there the environment takes precedence over the file. Outside common/conf nobody reads the
// text of a parameter (tests/unit/architecture/check_parameters.sh). Defaults and meanings: lsf.conf(5).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/base/job_clock.hpp"
#include "common/conf/lsf_conf.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

enum class CountedCpus { procs, cores, threads };

struct LimProgram {
  CountedCpus counted_cpus = CountedCpus::cores;  // EGO_DEFINE_NCPUS
  std::string elim_bin_dir, elim_lib_dir;  // LSF_BINDIR and LSF_LIBDIR, as an elim is told; "": not set
};

struct MbatchdProgram {
  std::size_t user_connections = 5000;                 // ROLLCALL_MBD_USER_CONNECTIONS; 0: any number
  std::chrono::seconds ticket_life{0};                 // ROLLCALL_TICKET_LIFE; 0: no tickets
  bool short_event_hosts = false, host_usage = false;  // LSF_HPC_EXTENSIONS: SHORT_EVENTFILE, HOST_RUSAGE
  bool sequential_signals = false;                     // LSB_USE_SEQUENTIAL_SIGNAL
  bool no_lock_of_exclusive = false;                   // LSB_DISABLE_LIMLOCK_EXCL
  // LSB_MAX_FORWARD_PER_SESSION: jobs that are offered to other clusters in one MBD_SLEEP_TIME.
  int most_forwards = 50;
  int guest_uid_min = 1000;  // ROLLCALL_GUEST_UID_MIN: no job of another cluster runs as a user below it
  // ROLLCALL_GUEST_OWN_USER: where mbatchd is not run by root, jobs of other clusters may run as its user.
  bool own_user_guests = false;
  bool tells_recalls = false;  // LSB_MC_RECALL_EXIT_INFO: TERM_MC_RECALL, else TERM_ADMIN
};

struct ResProgram {
  std::optional<bool> memory_of_job, cpu_of_job;  // LSB_JOB_MEMLIMIT, LSB_JOB_CPULIMIT; none: not set
  bool memory_of_both = false;                    // LSB_MEMLIMIT_ENFORCE
  std::size_t user_connections = 256;             // ROLLCALL_USER_CONNECTIONS; 0: any number
  std::size_t user_tasks = 128;                   // ROLLCALL_USER_TASKS, of no job; 0: any number
  bool job_cgroups = true;                        // ROLLCALL_JOB_CGROUPS
  bool task_relay = true;                         // ROLLCALL_TASK_RELAY
  bool mpi_variables = true;                      // ROLLCALL_MPI_VARIABLES
  bool runs_outside_jobs = true;                  // not LSF_DISABLE_LSRUN
  double usage_factor = 0;                        // LSF_PAM_RUSAGE_UPD_FACTOR: seconds for each slot
  int stop_signal = 0;                            // LSB_SIGSTOP; 0: not set
  std::string tmp_top = "/tmp";                   // LSF_TMPDIR
  bool set_tmpdir = false;                        // LSB_SET_TMPDIR
  std::string mail_program;                       // LSB_MAILPROG; "": the system's
};

struct CommandPrograms {
  std::string remote_shell;   // LSF_RSH; "": ssh
  std::string lsload_format;  // LSF_LSLOAD_FORMAT
  std::string product;        // ROLLCALL_PRODUCT
  std::string esub_methods;   // LSB_ESUB_METHOD
  std::string gpu_default;    // LSB_GPU_REQ
  std::optional<int> tries;   // LSB_NTRIES
  bool parses_script_file =
      true;  // LSB_BSUB_PARSE_SCRIPT: bsub reads #BSUB lines of a script that it is given by name
  bool restarts_daemons = true;  // ROLLCALL_RESTART_DAEMONS
  // A variable of the same name in the user's environment takes precedence.
  std::string bjobs_format, bhosts_format, bqueues_format, busers_format;  // LSB_BJOBS_FORMAT, ...
  std::string jobs_unit;                                                   // LSB_UNIT_FOR_JOBS_DISPLAY
  bool consistent_exit = false;                                            // LSB_BJOBS_CONSISTENT_EXIT_CODE
  bool bjobs_history = false;                                              // ROLLCALL_BJOBS_HISTORY
};

struct ProgramSettings {
  std::string munge_socket;  // ROLLCALL_MUNGE_SOCKET, of all; "": MUNGE's own
  LimProgram lim;
  MbatchdProgram mbatchd;
  ResProgram res;
  CommandPrograms commands;
};

inline constexpr int kMostTries = 1'000'000;  // LSB_NTRIES

// An invalid value is an error, and the default is used.
ProgramSettings read_program_settings(const LsfConf& lsf_conf, Problems& problems);

}  // namespace rollcall::conf
