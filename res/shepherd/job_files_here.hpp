// job_files_here: opens the directory and files of a job as its user. The shell of res/policy/job_files.hpp.
//
// The caller must already run as the user, so that no path gives more than the user may open.
//   u/               of the user alone, in the job's directory:
//   u/EPOCH.ID             the script                      u/EPOCH.ID.hostfile   one host for each slot
//   u/EPOCH.ID.in          what -is has copied, or -i of another cluster
//                                                          u/EPOCH.ID.slots.hostfile   the same for Open MPI
//   ../../empty            LSB_AFFINITY_HOSTFILE           u/EPOCH.ID.out        the output that is mailed
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/descriptor.hpp"
#include "res/policy/job_environment.hpp"

namespace rollcall::res {

struct JobFiles {
  JobPlaces places;
  bool directory_missing = false;  // of -cwd
  bool input_missing = false;      // -i cannot be opened
  bool output_elsewhere = false;   // -o cannot be opened
  std::string trouble;             // which of -i, -o, -e could not be opened as asked, as lines for people
  std::string output_note;         // where -o and -e are, and why, if elsewhere: for bjobs -l and the log
  std::string error_file;          // -e as it is; "" : standard error goes with the output
  bool spooled = false;            // no -o: the output is mailed
  std::string returned_output,
      returned_errors;  // what goes back to the cluster of the submission; "": nothing does
  io::Descriptor input, output, errors;
  std::int64_t output_from = 0;  // where this job's part begins
};

// `own`: absolute path of u.
JobPlaces job_places(const wire::JobOrder& order, const std::string& own);
// The host file; best effort, since few programs read it. Of a job on hosts of several clusters also its key and the places of its hosts,
// without which no task of it is started elsewhere: where one of these cannot be written, neither is left, and the error says why.
Result<void> write_host_files(const wire::JobOrder& order, const JobPlaces& places);
// The directory, then -o, -e, -i. An interactive job has only those that are asked for. Where -o or -e cannot be opened
// the job runs all the same, and what it writes goes elsewhere (docs/decisions/0032).
Result<void> open_job_files(const wire::JobOrder& order, JobFiles& files);
// The command that brings -i of a job of another cluster, where it is not here; "": it is here, or none was asked for.
std::string command_for_input(const wire::JobOrder& order, const JobPlaces& places);
// The commands that return -o and -e.
std::vector<std::string> commands_to_return(const JobFiles& files);
// After them, or where they were not run: keeps what is not returned in LSF_TMPDIR (/tmp). One line for people; "": all is returned.
std::string keep_unreturned(const wire::JobOrder& order, JobFiles& files);

// Copies the output that was to be mailed to a new file in LSF_TMPDIR (/tmp); gives its path.
Result<std::string> keep_output(const wire::JobOrder& order, const JobFiles& files);
// Copies what is left of a file. False where reading or writing failed; errno says why.
bool copy_rest(int from, int to);
// TMPDIR of the job, where the site wants one.
void make_tmp_dir(const wire::JobOrder& order, JobPlaces& places);
bool write_private_file(const std::string& path, std::string_view text, mode_t mode);

}  // namespace rollcall::res
