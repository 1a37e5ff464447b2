#include "pam/policy/expected_tasks.hpp"

#include "common/base/numbers.hpp"
#include "common/base/task_geometry.hpp"

namespace rollcall::pam {
namespace {

Result<HostList> hosts_of(const AllocationText& text) {
  if (auto hosts = HostList::from_lsb_hosts(text.lsb_hosts); !hosts || !hosts->empty()) return hosts;
  if (auto hosts = HostList::from_lsb_mcpu_hosts(text.lsb_mcpu_hosts); !hosts || !hosts->empty())
    return hosts;
  if (text.hostfile_content)
    return HostList::from_hostfile(*text.hostfile_content, "LSB_DJOB_HOSTFILE: " + text.hostfile_name);
  return HostList{};
}

// Which of the three spellings hosts_of() took.
std::string source_of(const AllocationText& text) {
  if (const auto hosts = HostList::from_lsb_hosts(text.lsb_hosts); hosts && !hosts->empty())
    return "LSB_HOSTS";
  if (const auto hosts = HostList::from_lsb_mcpu_hosts(text.lsb_mcpu_hosts); hosts && !hosts->empty())
    return "LSB_MCPU_HOSTS";
  return "LSB_DJOB_HOSTFILE";
}

Expected count(int number, const std::string& rule) { return {number, std::to_string(number) + rule}; }

Expected unknown() {
  return {std::nullopt, "no number given: all that have registered when no more come for 2 s"};
}

Result<Expected> from_allocation(const ExpectedInputs& inputs) {
  const bool by_number = !inputs.unique_hosts && !inputs.djob_numproc.empty();
  if (by_number) {
    const auto number = parse_whole(inputs.djob_numproc, 1, kMaxTasks);
    if (!number)
      return configuration_error("LSB_DJOB_NUMPROC: found " + printable(inputs.djob_numproc) +
                                 ", expected a number from 1 to " + std::to_string(kMaxTasks));
    return count(*number, " in LSB_DJOB_NUMPROC");
  }
  const auto hosts = hosts_of(inputs.allocation);
  if (!hosts) return hosts.error();
  const std::string source = source_of(inputs.allocation);
  if (!hosts->empty() && inputs.unique_hosts)
    return count(static_cast<int>(hosts->distinct()),
                 " distinct hosts in " + source + " (LSF_PAM_HOSTLIST_USE=unique)");
  if (!hosts->empty()) return count(hosts->slots(), " slots in " + source);
  if (inputs.unique_hosts && !inputs.djob_numproc.empty()) {
    ExpectedInputs without = inputs;
    without.unique_hosts = false;
    return from_allocation(without);
  }
  return unknown();
}

Result<Expected> on_each_host(int tasks, const AllocationText& allocation) {
  if (tasks == 0) return unknown();
  const auto hosts = hosts_of(allocation);
  if (!hosts) return hosts.error();
  const auto distinct = static_cast<long long>(hosts->distinct());
  if (hosts->empty() || distinct * tasks > kMaxTasks) return unknown();
  return count(static_cast<int>(distinct * tasks),
               " by the launcher's own options: " + std::to_string(tasks) + " on each of " +
                   std::to_string(distinct) + " hosts in " + source_of(allocation));
}

}  // namespace

Result<HostList> allocated_hosts(const AllocationText& text, const std::string& geometry) {
  auto hosts = hosts_of(text);
  if (!hosts || geometry.empty() || hosts->empty()) return hosts;
  const auto groups = TaskGeometry::parse(geometry);
  if (!groups) return groups.error();
  return groups->place_on(*hosts);
}

Result<Expected> expected_tasks(const ExpectedInputs& inputs) {
  if (inputs.option) return count(*inputs.option, " by pam's -n");
  if (inputs.launcher) return count(*inputs.launcher, " by the launcher's own options");
  if (inputs.per_host) return on_each_host(*inputs.per_host, inputs.allocation);
  if (!inputs.geometry.empty()) {
    const auto geometry = TaskGeometry::parse(inputs.geometry);
    if (!geometry) return geometry.error();
    return count(geometry->tasks(), " task ids in LSB_PJL_TASK_GEOMETRY");
  }
  return from_allocation(inputs);
}

}  // namespace rollcall::pam
