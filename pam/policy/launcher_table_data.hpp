// The tables of launcher_table.hpp as data: what one launcher's options are. Constants.
//
// Names stand without their dashes. The options themselves are in wrappers/pjltables.sh and wrappers/pjlslurm.sh, once for the
// wrappers and for pam: cmake/RollcallLaunchers.cmake makes "pam/policy/launcher_options.hpp" from them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rollcall::pam {

enum class Means : std::uint8_t {
  nothing,        // only its words must be counted
  tasks,          // its value is the number of tasks
  per_host,       // its value is the number of tasks on each host; a flag: one
  hosts,          // it says on which hosts, so that those of the allocation need not be the job's
  job_elsewhere,  // the job is not on the command line: in a file, or not at all
};

struct LauncherOption {
  std::string_view name;
  std::uint8_t values = 0;  // how many words follow it
  Means means = Means::nothing;
  bool pair_may_join = false;  // two values, or one word NAME=VALUE (Hydra's -env)
  bool attached_only = false;  // its value, if any, is attached: srun's -I30, --exclusive=user
};

constexpr LauncherOption flag(std::string_view name) { return {name, 0}; }
constexpr LauncherOption one(std::string_view name) { return {name, 1}; }
constexpr LauncherOption two(std::string_view name) { return {name, 2}; }
constexpr LauncherOption pair_or_assignment(std::string_view name) { return {name, 2, Means::nothing, true}; }
constexpr LauncherOption tasks(std::string_view name) { return {name, 1, Means::tasks}; }
constexpr LauncherOption per_host(std::string_view name) { return {name, 1, Means::per_host}; }
constexpr LauncherOption one_per_host(std::string_view name) { return {name, 0, Means::per_host}; }
constexpr LauncherOption hosts(std::string_view name) { return {name, 1, Means::hosts}; }
constexpr LauncherOption job_in_file(std::string_view name) { return {name, 1, Means::job_elsewhere}; }
constexpr LauncherOption job_flag(std::string_view name) { return {name, 0, Means::job_elsewhere}; }

constexpr LauncherOption maybe(std::string_view name) { return {name, 0, Means::nothing, false, true}; }

enum class Dashes : std::uint8_t {
  any,     // -np and --np are the same; nothing attached to one letter
  getopt,  // -n4, -lN2, --ntasks=4, --ntas 4; a flag of one letter may carry its optional value attached
};

struct LauncherTable {
  std::string_view launcher;  // "openmpi", "hydra", "intelmpi", "slurm"
  Dashes dashes = Dashes::any;
  std::span<const LauncherOption> options;
  std::span<const LauncherOption> more;  // further ones: of another release, or of old scripts
};

extern const LauncherTable kOpenMpi;
extern const LauncherTable kHydra;
extern const LauncherTable kIntelMpi;
extern const LauncherTable kSlurm;
// The same with the options that scripts for MPICH-GM, MPICH-P4 and MVAPICH use.
extern const LauncherTable kOpenMpiOldScripts;
extern const LauncherTable kHydraOldScripts;

}  // namespace rollcall::pam
