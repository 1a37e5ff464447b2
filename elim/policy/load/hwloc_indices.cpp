#include "elim/policy/load/hwloc_indices.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace rollcall::load {
namespace {

class Values {
 public:
  void add(const std::string& name, std::uint64_t value) { all_.push_back({name, std::to_string(value)}); }
  void add_word(const std::string& name, const std::string& word) { all_.push_back({name, word}); }
  std::vector<HwlocValue> take() { return std::move(all_); }

 private:
  std::vector<HwlocValue> all_;
};

std::uint64_t megabytes(std::uint64_t kilobytes) { return kilobytes / 1024; }

bool idled(const CpuTicks& before, const CpuTicks& now) {
  const auto busy = now.busy - std::min(before.busy, now.busy),
             idle = now.idle - std::min(before.idle, now.idle);
  // A CPU without ticks was asleep or offline; it counts as idle.
  return static_cast<double>(idle) >= kIdlePart * static_cast<double>(busy + idle);
}

std::set<int> idle_cpus(const CpuTimes& before, const CpuTimes& now) {
  const std::map<int, CpuTicks> earlier(before.begin(), before.end());
  std::set<int> idle;
  for (const auto& [cpu, ticks] : now) {
    const auto same = earlier.find(cpu);
    if (same != earlier.end() && idled(same->second, ticks)) idle.insert(cpu);
  }
  return idle;
}

struct IdleCores {
  std::uint64_t cores = 0, packages = 0;
  std::map<int, std::uint64_t> of_node;  // by place
};

IdleCores idle_cores(const MachineTopology& machine, const std::set<int>& cpus) {
  IdleCores idle;
  std::map<int, bool> packages;
  for (const auto& core : machine.cores) {
    const bool all =
        std::all_of(core.cpus.begin(), core.cpus.end(), [&](int cpu) { return cpus.contains(cpu); });
    const auto [package, added] = packages.emplace(core.package, true);
    package->second = package->second && all;
    if (!all) continue;
    ++idle.cores;
    ++idle.of_node[core.numa];
  }
  idle.packages = static_cast<std::uint64_t>(
      std::count_if(packages.begin(), packages.end(), [](const auto& package) { return package.second; }));
  return idle;
}

void add_nodes(const HwlocReading& now, Values& values) {
  values.add("hw_nodes", now.nodes.size());
  std::uint64_t most = 0;
  for (const auto& node : now.nodes) {
    most = std::max(most, node.free_kb);
    if (node.number >= kNodeIndices) continue;
    values.add("hw_numa_free" + std::to_string(node.number), megabytes(node.free_kb));
    values.add("hw_numa_max" + std::to_string(node.number), megabytes(node.total_kb));
  }
  if (!now.nodes.empty()) values.add("hw_numa_free", megabytes(most));
}

// Nodes without cores are no place for a job.
void add_best_node(const MachineTopology& machine, const HwlocReading& now, const IdleCores& idle,
                   Values& values) {
  std::set<int> with_cores;
  for (const auto& core : machine.cores) with_cores.insert(core.numa);
  const NumaNode* best = nullptr;
  std::pair<std::uint64_t, std::uint64_t> best_load;
  for (const int place : with_cores) {
    if (static_cast<std::size_t>(place) >= machine.nodes.size()) continue;
    const auto& node = machine.nodes[static_cast<std::size_t>(place)];
    const auto memory = std::find_if(now.nodes.begin(), now.nodes.end(),
                                     [&](const auto& read) { return read.number == node.number; });
    const auto cores = idle.of_node.find(place);
    const std::pair load(cores == idle.of_node.end() ? 0 : cores->second,
                         memory == now.nodes.end() ? 0 : megabytes(memory->free_kb));
    if (best && load <= best_load) continue;
    best = &node;
    best_load = load;
  }
  if (best) values.add("hw_numa_best", static_cast<std::uint64_t>(best->number));
}

void add_kinds(const MachineTopology& machine, Values& values) {
  int fastest = 0;
  for (const auto& core : machine.cores) fastest = std::max(fastest, core.kind);
  values.add("hw_kinds", std::max<std::size_t>(machine.kinds.size(), 1));
  values.add("hw_fast_cores", static_cast<std::uint64_t>(
                                  std::count_if(machine.cores.begin(), machine.cores.end(),
                                                [&](const Core& core) { return core.kind == fastest; })));
}

void add_caches(const MachineTopology& machine, Values& values) {
  for (int level = 1; level <= 3; ++level) {
    std::uint64_t largest = 0;
    for (const auto& cache : machine.caches)
      if (cache.level == level) largest = std::max(largest, cache.bytes);
    if (largest > 0) values.add("hw_l" + std::to_string(level), largest / 1024);
  }
}

// A word without blanks: load update strings have blanks between words.
std::string one_word(std::string text) {
  for (char& c : text)
    if (c <= ' ' || c == 0x7f) c = '_';
  return text;
}

void add_devices(const MachineTopology& machine, const HwlocReading& now, Values& values) {
  std::uint64_t gpus = 0, infiniband = 0, adapters = 0, fastest = 0, fastest_infiniband = 0;
  std::string model;
  for (const auto& device : machine.devices) {
    if (device.kind == Device::Kind::infiniband) ++infiniband;
    if (device.kind != Device::Kind::gpu) continue;
    if (gpus++ == 0) model = device.model;
  }
  for (const auto& link : now.links) {
    auto& speed = link.infiniband ? fastest_infiniband : fastest;
    speed = std::max(speed, link.megabits);
    if (!link.infiniband) ++adapters;
  }
  values.add("hw_gpus", gpus);
  values.add("hw_nics", adapters);
  values.add("hw_ib", infiniband);
  if (fastest > 0) values.add("hw_net_speed", fastest);
  if (fastest_infiniband > 0) values.add("hw_ib_speed", fastest_infiniband);
  if (!model.empty()) values.add_word("hw_gpu_model", one_word(model));
}

template <class Take>
void each_word(std::string_view words, Take take) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (true) {
    const auto start = words.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return;
    const auto end = std::min(words.find_first_of(kBlanks, start), words.size());
    take(words.substr(start, end - start));
    words.remove_prefix(end);
  }
}

}  // namespace

std::vector<std::string> hwloc_names() {
  std::vector<std::string> names = {"hw_nodes"};
  for (int node = 0; node < kNodeIndices; ++node) {
    names.push_back("hw_numa_free" + std::to_string(node));
    names.push_back("hw_numa_max" + std::to_string(node));
  }
  for (const char* name : {"hw_numa_free", "hw_idle_cores", "hw_idle_packages", "hw_numa_best", "hw_kinds",
                           "hw_fast_cores", "hw_l1", "hw_l2", "hw_l3", "hw_gpus", "hw_nics", "hw_ib",
                           "hw_net_speed", "hw_ib_speed", "hw_gpu_model"})
    names.emplace_back(name);
  return names;
}

std::vector<HwlocValue> hwloc_values(const MachineTopology& machine, const HwlocReading* before,
                                     const HwlocReading& now) {
  Values values;
  add_nodes(now, values);
  if (before) {
    const auto idle = idle_cores(machine, idle_cpus(before->cpus, now.cpus));
    values.add("hw_idle_cores", idle.cores);
    values.add("hw_idle_packages", idle.packages);
    add_best_node(machine, now, idle, values);
  }
  add_kinds(machine, values);
  add_caches(machine, values);
  add_devices(machine, now, values);
  return values.take();
}

std::string load_update_string(const std::vector<HwlocValue>& values, std::string_view resources) {
  std::set<std::string_view> asked;
  each_word(resources, [&](std::string_view name) { asked.insert(name); });
  std::string pairs;
  std::size_t count = 0;
  for (const auto& [name, value] : values) {
    if (!asked.empty() && !asked.contains(name)) continue;
    pairs += " " + name + " " + value;
    ++count;
  }
  return std::to_string(count) + pairs + "\n";
}

bool asks_for_hwloc(std::string_view resources) {
  const auto names = hwloc_names();
  bool any = false, ours = false;
  each_word(resources, [&](std::string_view word) {
    any = true;
    ours = ours || std::find(names.begin(), names.end(), word) != names.end();
  });
  return ours || !any;
}

std::uint64_t infiniband_megabits(std::string_view rate) {
  double gigabits = 0;
  const auto [end, error] =
      std::from_chars(rate.data(), rate.data() + rate.size(), gigabits, std::chars_format::fixed);
  const bool unit = rate.substr(static_cast<std::size_t>(end - rate.data())).starts_with(" Gb/sec");
  if (error != std::errc() || !unit || !(gigabits > 0 && gigabits < 1e6)) return 0;
  return static_cast<std::uint64_t>(gigabits * 1000);
}

}  // namespace rollcall::load
