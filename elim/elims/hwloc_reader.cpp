#include "elim/elims/hwloc_reader.hpp"

#include <string>

#include "common/base/numbers.hpp"
#include "elim/policy/load/proc_texts.hpp"

namespace rollcall::load {
namespace {

std::optional<MemoryText> node_memory(const FilesBelow& files, const NumaNode& node, std::size_t nodes) {
  auto text = files.text("sys/devices/system/node/node" + std::to_string(node.number) + "/meminfo");
  // A kernel without NUMA has no such folder: the machine is its only node.
  if (!text && nodes == 1) text = files.text("proc/meminfo");
  return text ? memory_text(*text) : std::nullopt;
}

std::uint64_t link_speed(const FilesBelow& files, const Device& device) {
  if (device.kind == Device::Kind::infiniband)
    return infiniband_megabits(
        files.text("sys/class/infiniband/" + device.name + "/ports/1/rate").value_or(""));
  // -1 or empty: no link, or a virtual adapter without a speed.
  const auto text = files.text("sys/class/net/" + device.name + "/speed").value_or("");
  const auto speed = parse_whole(std::string_view(text).substr(0, text.find('\n')), 1, 100'000'000);
  return static_cast<std::uint64_t>(speed.value_or(0));
}

}  // namespace

HwlocReading read_hwloc(const FilesBelow& files, const MachineTopology& machine) {
  HwlocReading reading;
  for (const auto& node : machine.nodes)
    if (const auto memory = node_memory(files, node, machine.nodes.size()))
      reading.nodes.push_back({node.number, memory->available, memory->total});
  if (const auto text = files.text("proc/stat")) reading.cpus = ticks_of_each_cpu(*text);
  for (const auto& device : machine.devices) {
    const bool infiniband = device.kind == Device::Kind::infiniband;
    if (!infiniband && device.kind != Device::Kind::network) continue;
    if (const auto speed = link_speed(files, device); speed > 0) reading.links.push_back({infiniband, speed});
  }
  return reading;
}

}  // namespace rollcall::load
