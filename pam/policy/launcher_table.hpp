// The launchers whose options we know, one table each, and what can be read out of a launcher's words with
// them.
//
// A table says of every option how many words it takes and whether it is the number of tasks; that is all
// that is needed to find the word where the launcher's part ends and the job begins. What a launcher does
// with its options is not known here. Tables are constants; nobody owns state.
//
// Launchers: openmpi (mpirun.openmpi, mpiexec.openmpi, orterun, prterun, prun), hydra (mpiexec.hydra,
// mpirun.mpich, mpiexec.mpich), intelmpi (mpiexec.hydra's options and its own; by its wrapper's name), slurm
// (srun), and the names of our wrappers. Plain `mpirun` and `mpiexec` may be Open MPI's or Hydra's: both
// tables are tried, and they must agree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::pam {

struct LauncherTable;  // one launcher's options; see launcher_table_data.hpp

struct JobPlace {
  std::vector<std::size_t>
      jobs;  // index of the job word of each `:`-separated application, ascending; never empty
  std::optional<int>
      tasks;  // the number of tasks asked for, summed over the applications; none where one has none
  std::optional<int> per_host;  // where no number of all tasks is asked for: see tasks_per_host()
  std::string launcher;         // "openmpi", "hydra", "intelmpi" or "slurm"
};

// Where the job begins in a launcher's command line (words[0] is the launcher, with or without directories).
// `resolved` is the launcher's real file name after symbolic links ("/usr/bin/orterun"), where the caller knows it: it
// decides what a plain mpirun is. Usage errors: a launcher we don't know, an option we don't know (named, with the advice
// to use -g N), an option without its value, no job word.
Result<JobPlace> find_job(std::span<const std::string> words, std::string_view resolved = {});

// True for a launcher of the table that is started directly (not through a wrapper): nothing follows its last
// task.
bool known_launcher(std::string_view word, std::string_view resolved = {});

// True for MPICH's Hydra, by its own name or its file's.
bool is_hydra(std::string_view word, std::string_view resolved = {});

// How many tasks a launcher's words ask for, where its table tells; never an error.
// launcher_only: all words are the launcher's (Method 1). launcher_then_job: a job follows somewhere (Method
// 2).
enum class WordsAre { launcher_only, launcher_then_job };
std::optional<int> tasks_in_words(std::span<const std::string> words, WordsAre kind,
                                  std::string_view resolved = {});

// How many tasks on each host of the allocation a launcher's words ask for; 0 where the hosts are others, which the words
// name. None where they ask for a number in all, or have several applications.
std::optional<int> tasks_per_host(std::span<const std::string> words, WordsAre kind,
                                  std::string_view resolved = {});

}  // namespace rollcall::pam
