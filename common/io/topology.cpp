#include "common/io/topology.hpp"

#include <errno.h>
#include <hwloc.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <system_error>

namespace rollcall::io {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Owned = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

std::string info(hwloc_obj_t object, const char* name) {
  const char* text = object ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return text ? text : "";
}

Error refused(const TopologySource& source) {
  const std::string why = std::generic_category().message(errno);
  switch (source.kind) {
    case TopologySource::Kind::xml_file:
      return configuration_error(
          source.text + ": found no topology in XML, expected what `lstopo --of xml` writes: " + why);
    case TopologySource::Kind::xml_text:
      return configuration_error("found no topology in XML, expected what `lstopo --of xml` writes: " + why);
    case TopologySource::Kind::synthetic:
      return configuration_error("found \"" + source.text +
                                 "\", expected a synthetic topology such as \"pack:2 core:8 pu:2\": " + why);
    case TopologySource::Kind::machine:
      break;
  }
  return internal_error("hwloc finds no topology: " + why);
}

int set_source(hwloc_topology_t topology, const TopologySource& source) {
  switch (source.kind) {
    case TopologySource::Kind::xml_file:
      return hwloc_topology_set_xml(topology, source.text.c_str());
    case TopologySource::Kind::xml_text:
      return hwloc_topology_set_xmlbuffer(topology, source.text.c_str(),
                                          static_cast<int>(source.text.size()) + 1);
    case TopologySource::Kind::synthetic:
      return hwloc_topology_set_synthetic(topology, source.text.c_str());
    case TopologySource::Kind::machine:
      break;
  }
  return 0;
}

Result<Owned> loaded(const TopologySource& source) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return refused(source);
  Owned topology(raw);
  if (source.devices) {
    hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    // These components start drivers, which takes seconds and memory; GPUs are counted on the PCI bus.
    for (const char* drivers : {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"})
      hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, drivers);
  }
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (set_source(raw, source) != 0 || hwloc_topology_load(raw) != 0) return refused(source);
  return topology;
}

hwloc_obj_t above(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
  return object ? hwloc_get_ancestor_obj_by_type(topology, type, object) : nullptr;
}

void read_nodes(hwloc_topology_t topology, MachineTopology& machine) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
    const auto package = above(topology, node, HWLOC_OBJ_PACKAGE);
    machine.nodes.push_back({static_cast<int>(node->os_index), node->attr->numanode.local_memory,
                             package ? static_cast<int>(package->logical_index) : -1});
    machine.bytes += node->attr->numanode.local_memory;
  }
}

// The place of the node nearest to a core; if several are, the one with the fewest CPUs.
int node_of(hwloc_topology_t topology, hwloc_obj_t core) {
  int nearest = 0, fewest = 0;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
    if (!node->cpuset || !hwloc_bitmap_intersects(node->cpuset, core->cpuset)) continue;
    const int cpus = hwloc_bitmap_weight(node->cpuset);
    if (fewest != 0 && cpus >= fewest) continue;
    nearest = static_cast<int>(node->logical_index);
    fewest = cpus;
  }
  return nearest;
}

Core read_core(hwloc_topology_t topology, hwloc_obj_t object) {
  Core core;
  if (const auto package = above(topology, object, HWLOC_OBJ_PACKAGE))
    core.package = static_cast<int>(package->logical_index);
  core.numa = node_of(topology, object);
  core.kind = std::max(0, hwloc_cpukinds_get_by_cpuset(topology, object->cpuset, 0));
  unsigned cpu = 0;
  hwloc_bitmap_foreach_begin(cpu, object->cpuset) core.cpus.push_back(static_cast<int>(cpu));
  hwloc_bitmap_foreach_end();
  return core;
}

void read_cores(hwloc_topology_t topology, MachineTopology& machine) {
  machine.packages = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  // Some virtual machines show threads without cores: each then counts as a core.
  const auto type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)))
    machine.cores.push_back(read_core(topology, object));
}

void read_caches(hwloc_topology_t topology, MachineTopology& machine) {
  constexpr hwloc_obj_type_t kCaches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                          HWLOC_OBJ_L4CACHE};
  for (const auto type : kCaches) {
    std::map<std::uint64_t, int, std::greater<>> sizes;  // the faster kind of core has the larger ones
    hwloc_obj_t cache = nullptr;
    while ((cache = hwloc_get_next_obj_by_type(topology, type, cache))) ++sizes[cache->attr->cache.size];
    for (const auto& [bytes, count] : sizes)
      machine.caches.push_back({static_cast<int>(1 + type - HWLOC_OBJ_L1CACHE), bytes, count});
  }
}

void read_kinds(hwloc_topology_t topology, MachineTopology& machine) {
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  for (int kind = 0; count > 1 && kind < count; ++kind) {
    struct hwloc_info_s* infos = nullptr;
    unsigned size = 0;
    std::string name = "kind" + std::to_string(kind);
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, nullptr, &size, &infos, 0) ==
        0)
      for (unsigned i = 0; i < size; ++i)
        if (std::strcmp(infos[i].name, "CoreType") == 0) name = infos[i].value;
    machine.kinds.push_back(std::move(name));
  }
}

std::string pci_address(hwloc_obj_t pci) {
  char text[32];
  const auto& at = pci->attr->pcidev;
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%01x", at.domain, at.bus, at.dev, at.func);
  return text;
}

hwloc_obj_t pci_above(hwloc_obj_t object) {
  while (object && object->type != HWLOC_OBJ_PCI_DEVICE) object = object->parent;
  return object;
}

bool kind_of_device(hwloc_obj_osdev_type_t type, Device::Kind& kind) {
  switch (type) {
    case HWLOC_OBJ_OSDEV_NETWORK:
      kind = Device::Kind::network;
      return true;
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
      kind = Device::Kind::infiniband;
      return true;
    case HWLOC_OBJ_OSDEV_BLOCK:
      kind = Device::Kind::storage;
      return true;
    default:
      return false;
  }
}

std::string pci_model(hwloc_obj_t pci) {
  const auto vendor = info(pci, "PCIVendor"), device = info(pci, "PCIDevice");
  return vendor.empty() || device.empty() ? vendor + device : vendor + " " + device;
}

// True for 3D controllers, other displays and accelerators; for a VGA adapter only if its maker makes GPUs, since every server
// has one for its console.
bool is_gpu(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  constexpr unsigned kVga = 0x0300, k3d = 0x0302, kDisplay = 0x0380, kAccelerator = 0x1200;
  constexpr unsigned kNvidia = 0x10de, kAmd = 0x1002;
  if (pci.class_id == kVga) return pci.vendor_id == kNvidia || pci.vendor_id == kAmd;
  return pci.class_id == k3d || pci.class_id == kDisplay || pci.class_id == kAccelerator;
}

// GPUs are counted on the PCI bus: one device has several OS names (card0, renderD128, cuda0, opencl0d0), or none without its
// driver.
void read_devices(hwloc_topology_t topology, MachineTopology& machine) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_pcidev(topology, object)))
    if (is_gpu(object->attr->pcidev))
      machine.devices.push_back(
          {Device::Kind::gpu, pci_address(object), pci_model(object), object->attr->pcidev.vendor_id});
  object = nullptr;
  while ((object = hwloc_get_next_osdev(topology, object))) {
    Device device;
    if (!kind_of_device(object->attr->osdev.type, device.kind) || !object->name) continue;
    device.name = object->name;
    if (const auto pci = pci_above(object->parent)) {
      device.vendor = pci->attr->pcidev.vendor_id;
      device.model = pci_model(pci);
    }
    machine.devices.push_back(std::move(device));
  }
}

}  // namespace

Result<MachineTopology> read_topology(const TopologySource& source) {
  MachineTopology machine;
  {
    auto topology = loaded(source);
    if (!topology) return topology.error();
    const auto raw = topology->get();
    read_nodes(raw, machine);
    read_cores(raw, machine);
    read_caches(raw, machine);
    read_kinds(raw, machine);
    if (source.devices) read_devices(raw, machine);
    machine.processor = info(hwloc_get_obj_by_type(raw, HWLOC_OBJ_PACKAGE, 0), "CPUModel");
  }
  malloc_trim(0);  // a large machine's topology is megabytes, and a daemon would keep them
  return machine;
}

}  // namespace rollcall::io
