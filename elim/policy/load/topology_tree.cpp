#include "elim/policy/load/topology_tree.hpp"

#include <cstdio>
#include <map>
#include <set>

namespace rollcall::load {
namespace {

std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 4, ' '); }

std::string node_line(const NumaNode& node, int depth) {
  return indent(depth) + "NUMA[" + std::to_string(node.number) + ": " + memory_words(node.bytes) + "]\n";
}

std::string core_line(const Core& core) {
  std::string line = indent(3) + "core(";
  for (std::size_t i = 0; i < core.cpus.size(); ++i)
    line += (i > 0 ? " " : "") + std::to_string(core.cpus[i]);
  return line + ")\n";
}

}  // namespace

std::string memory_words(std::uint64_t bytes) {
  constexpr double kMega = 1024.0 * 1024, kGiga = kMega * 1024, kTera = kGiga * 1024;
  const auto size = static_cast<double>(bytes);
  char text[32];
  if (size < kGiga)
    std::snprintf(text, sizeof text, "%.0fM", size / kMega);
  else if (size < kTera)
    std::snprintf(text, sizeof text, "%.1fG", size / kGiga);
  else
    std::snprintf(text, sizeof text, "%.1fT", size / kTera);
  return text;
}

std::string topology_tree(const MachineTopology& machine) {
  std::map<int, std::set<int>> nodes_of_package;
  for (const auto& core : machine.cores) nodes_of_package[core.package].insert(core.numa);
  std::set<int> drawn;
  std::string tree = "Host[" + memory_words(machine.bytes) + "]\n";
  const Core* before = nullptr;
  for (const auto& core : machine.cores) {
    const bool split = nodes_of_package[core.package].size() > 1;
    const bool new_package = !before || before->package != core.package;
    const bool new_node = !before || before->numa != core.numa;
    const bool known = static_cast<std::size_t>(core.numa) < machine.nodes.size();
    const auto node = known ? machine.nodes[static_cast<std::size_t>(core.numa)] : NumaNode{};
    if (split && new_package) tree += indent(1) + "Socket\n";
    if (new_node || (split && new_package)) tree += node_line(node, split ? 2 : 1);
    if (!split && (new_package || new_node)) tree += indent(2) + "Socket\n";
    tree += core_line(core);
    drawn.insert(core.numa);
    before = &core;
  }
  for (std::size_t i = 0; i < machine.nodes.size(); ++i)
    if (!drawn.contains(static_cast<int>(i))) tree += node_line(machine.nodes[i], 1);
  return tree;
}

}  // namespace rollcall::load
