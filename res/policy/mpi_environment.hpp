// mpi_environment: the variables by which Open MPI and Hydra start on the hosts of their job, over blaunch. Functions.
//
// It is not the environment of a job: job_environment() is, which these words are added to. docs/decisions/0067.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::res {

struct MpiPlaces {
  std::string blaunch;    // its file; "": none, then nothing is set
  std::string host_file;  // a line for each slot; slots_file_of() it is beside it
};

// The same hosts with their slots as Open MPI counts them: one that a file names once, without slots, has as many for it as processors.
std::string slots_file_of(std::string_view host_file);

// Adds to `environment` what the user has not chosen. A user who names another remote shell or another host file keeps it, for
// every launcher. A job that was submitted from a job brings that one's words along, known by the name of its host file: they are
// replaced, or taken out where places.blaunch is empty.
void add_mpi_variables(std::vector<std::string>& environment, const MpiPlaces& places);

// On another host of the job the same file is somewhere else.
void move_mpi_host_file(std::vector<std::string>& environment, std::string_view host_file);

}  // namespace rollcall::res
