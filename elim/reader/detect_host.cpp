#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "elim/policy/load/host_model.hpp"
#include "elim/policy/load/topology_tree.hpp"
#include "elim/reader/disks.hpp"
#include "elim/reader/files_below.hpp"
#include "elim/reader/host_reader.hpp"
#include "elim/reader/host_sizes.hpp"
#include "elim/reader/memory_limits.hpp"

namespace rollcall::load {
namespace {

std::string machine_of(const DetectOptions& options) {
  if (!options.machine.empty()) return options.machine;
  struct utsname name {};
  return uname(&name) == 0 ? name.machine : "";
}

void name_model(const DetectOptions& options, const FilesBelow& files, DetectedHost& host) {
  const auto machine = machine_of(options);
  const auto cpu = cpu_identity(files.text("proc/cpuinfo").value_or(""));
  host.facts.type = host_type(machine);
  host.architecture = host_architecture(cpu, machine);
  if (options.models) host.facts.model = matching_model(host.architecture, host.facts.type, *options.models);
  if (host.facts.model.empty()) host.facts.model = model_of_processor(cpu, machine);
}

// "LIM uses the defaults of 1 processor, 1 core per physical processor, and 1 thread per core" where detection fails.
void count_cpus(const DetectOptions& options, const FilesBelow& files, const MachineTopology& topology,
                HostFacts& facts) {
  std::map<int, int> cores_of;
  std::size_t threads = 0, most_threads = 1;
  for (const auto& core : topology.cores) {
    ++cores_of[core.package];
    threads += core.cpus.size();
    most_threads = std::max(most_threads, core.cpus.size());
  }
  int most_cores = 1;
  for (const auto& [package, cores] : cores_of) most_cores = std::max(most_cores, cores);
  facts.nprocs = std::max(topology.packages, 1);
  facts.ncores = most_cores;
  facts.nthreads = static_cast<int>(most_threads);
  switch (options.ncpus) {
    case CountedCpus::procs:
      facts.ncpus = facts.nprocs;
      break;
    case CountedCpus::cores:
      facts.ncpus = static_cast<int>(topology.cores.size());
      break;
    case CountedCpus::threads:
      facts.ncpus = static_cast<int>(threads);
      break;
  }
  if (const auto quota = cpu_quota(files))
    facts.ncpus = std::min(facts.ncpus, static_cast<int>(std::min(std::ceil(*quota), 1e6)));
  facts.ncpus = std::max(facts.ncpus, 1);
}

}  // namespace

DetectedHost detect_facts(const DetectOptions& options) {
  DetectedHost host;
  const auto source = with_defaults(options.source);
  const FilesBelow files(source.root);
  auto& facts = host.facts;
  name_model(options, files, host);
  auto topology = io::read_topology(options.topology);
  if (topology)
    facts.topology = topology_tree(*topology);
  else
    host.warnings.push_back(topology.error().text);
  count_cpus(options, files, topology ? *topology : MachineTopology{}, facts);
  facts.ndisks = static_cast<int>(local_disks(files).size());
  if (const auto memory = read_memory(files)) {
    facts.maxmem = memory->total / 1024;
    facts.maxswp = memory->swap_total / 1024;
  } else {
    host.warnings.push_back(source.root + "/proc/meminfo: not to be read, expected the size of the memory");
  }
  if (const auto size = size_of_tmp(source, files)) facts.maxtmp = static_cast<std::uint64_t>(size->total_mb);
  return host;
}

}  // namespace rollcall::load
