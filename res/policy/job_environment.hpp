// job_environment: the environment of a job's processes. Functions.
//
// In order, the later one wins: what the user had at bsub, what mbatchd adds (LSB_JOBID ...), what this host knows.
// Rules: "Environment variables set for job execution"; no EGO_*, LSF_EAUTH_*, XLSF_UIDDIR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/wire/res.pb.h"

namespace rollcall::res {

// Where the host keeps what the job may read; each "" where there is none.
struct JobPlaces {
  std::string job_file;             // LSB_JOBFILENAME
  std::string host_file;            // LSB_DJOB_HOSTFILE
  std::string rank_file;            // LSB_DJOB_RANKFILE
  std::string affinity_file;        // LSB_AFFINITY_HOSTFILE
  std::string output_file;          // LSB_OUTPUTFILE
  std::string output_dir;           // LSB_OUTDIR
  std::string directory;            // PWD
  std::string tmp_dir;              // TMPDIR where the site wants one for each job
  std::string accounting;           // LSB_ACCT_FILE
  std::string relay;                // ROLLCALL_RELAY: where TaskStarters find their shepherd
  std::string span_directory = {};  // of a job on hosts of several clusters: the directory of its key
};

// NAME=VALUE words, one for each name, without LS_JOBPID and LSB_JOBRES_PID: see with_pid().
std::vector<std::string> job_environment(const wire::JobOrder& order, const JobPlaces& places);

// A task of blaunch or lsrun: the client's words, then what this host knows.
std::vector<std::string> task_environment(const wire::JobOrder& order, const wire::RunTask& task,
                                          const JobPlaces& places);

// What the pre- and post-execution get: the job's, with the system's own PATH. `exit_status`: the word of wait(2).
std::vector<std::string> hook_environment(std::vector<std::string> of_job);
// The same with LSF_BINDIR behind that PATH: for JOB_CONTROLS, whose commands are the likes of `brequeue $LSB_JOBID`.
std::vector<std::string> control_environment(std::vector<std::string> of_job);
void add_exit_status(std::vector<std::string>& environment, int exit_status);

void set_variable(std::vector<std::string>& environment, std::string_view name, std::string_view value);

// The lines of the host file: one for each slot.
std::string host_lines(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts);
// "NAME slots=N" for each host, as Open MPI reads it.
std::string slot_lines(const google::protobuf::RepeatedPtrField<wire::ExecHost>& hosts);

}  // namespace rollcall::res
