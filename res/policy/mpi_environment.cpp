#include "res/policy/mpi_environment.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "res/policy/job_environment.hpp"

namespace rollcall::res {
namespace {

using Names = std::span<const std::string_view>;

// If the user has set one of `names`, the whole group stays as it is. Open MPI warns about two names with different values, and
// our launcher must not run a user's own program (HYDRA_LAUNCHER_EXEC). The names that we set come first in their group.
constexpr std::array<std::string_view, 8> kOpenMpiAgents{
    "OMPI_MCA_plm_rsh_agent",  "PRTE_MCA_plm_ssh_agent", "PRTE_MCA_plm_rsh_agent", "OMPI_MCA_plm_ssh_agent",
    "OMPI_MCA_orte_rsh_agent", "OMPI_MCA_pls_rsh_agent", "OMPI_MCA_plm",           "PRTE_MCA_plm"};
constexpr std::size_t kAgentsSet = 2;
constexpr std::array<std::string_view, 2> kOpenMpiHosts{"OMPI_MCA_orte_default_hostfile",
                                                        "PRTE_MCA_prte_default_hostfile"};
constexpr std::array<std::string_view, 6> kHydraLaunchers{
    "HYDRA_BOOTSTRAP",      "HYDRA_LAUNCHER",        "HYDRA_LAUNCHER_EXEC",
    "HYDRA_BOOTSTRAP_EXEC", "I_MPI_HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP_EXEC"};
constexpr std::array<std::string_view, 2> kHydraHosts{"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"};

constexpr std::string_view kEnd = ".hostfile", kSlots = ".slots";

bool names(std::string_view word, std::string_view name) {
  return word.size() > name.size() && word[name.size()] == '=' && word.starts_with(name);
}

std::string_view value_in(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& word : environment)
    if (names(word, name)) return std::string_view(word).substr(name.size() + 1);
  return {};
}

bool chosen(const std::vector<std::string>& environment, Names group) {
  return std::any_of(group.begin(), group.end(),
                     [&](std::string_view name) { return !value_in(environment, name).empty(); });
}

void set_unless_chosen(std::vector<std::string>& environment, Names group, std::size_t count,
                       std::string_view value) {
  if (chosen(environment, group)) return;
  for (const auto name : group.first(count)) set_variable(environment, name, value);
}

std::string_view base_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// A host file of a job: TIME.ID.hostfile or TIME.ID.INDEX.hostfile, see job_places(), or the slots_file_of() one.
bool of_a_job(std::string_view value) {
  std::string_view base = base_of(value);
  if (!base.ends_with(kEnd)) return false;
  base.remove_suffix(kEnd.size());
  if (base.ends_with(kSlots)) base.remove_suffix(kSlots.size());
  return base.find('.') != base.npos && base.find_first_not_of("0123456789.") == base.npos;
}

// Removes the variables that we set for the job that submitted this one.
void take_out_of_other_job(std::vector<std::string>& environment) {
  const std::array files{kOpenMpiHosts[0], kOpenMpiHosts[1], kHydraHosts[0]};
  const auto names_a_job = [&](std::string_view name) { return of_a_job(value_in(environment, name)); };
  if (std::none_of(files.begin(), files.end(), names_a_job)) return;
  const auto ours = [&](const std::string& word) {
    const std::string_view value = std::string_view(word).substr(word.find('=') + 1);
    for (const auto name : files)
      if (names(word, name)) return of_a_job(value);
    for (const auto name : Names(kOpenMpiAgents).first(kAgentsSet))
      if (names(word, name)) return base_of(value) == "blaunch";
    return word == "HYDRA_BOOTSTRAP=lsf";
  };
  std::erase_if(environment, ours);
}

}  // namespace

std::string slots_file_of(std::string_view host_file) {
  std::string file(host_file);
  if (file.ends_with(kEnd)) file.insert(file.size() - kEnd.size(), kSlots);
  return file;
}

void add_mpi_variables(std::vector<std::string>& environment, const MpiPlaces& places) {
  take_out_of_other_job(environment);
  if (places.blaunch.empty() || places.host_file.empty()) return;
  set_unless_chosen(environment, kOpenMpiAgents, kAgentsSet, places.blaunch);
  set_unless_chosen(environment, kOpenMpiHosts, kOpenMpiHosts.size(), slots_file_of(places.host_file));
  // Hydra finds blaunch in LSF_BINDIR by itself.
  set_unless_chosen(environment, kHydraLaunchers, 1, "lsf");
  set_unless_chosen(environment, kHydraHosts, 1, places.host_file);
}

void move_mpi_host_file(std::vector<std::string>& environment, std::string_view host_file) {
  for (const auto name : {kOpenMpiHosts[0], kOpenMpiHosts[1], kHydraHosts[0]}) {
    const auto value = value_in(environment, name);
    for (const std::string& file : {std::string(host_file), slots_file_of(host_file)})
      if (!value.empty() && base_of(value) == base_of(file)) {
        set_variable(environment, name, file);
        break;  // `value` was a part of what is replaced
      }
  }
}

}  // namespace rollcall::res
