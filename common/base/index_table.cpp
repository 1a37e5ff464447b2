#include "common/base/index_table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace rollcall {
namespace {

constexpr ResourceOrder kInc = ResourceOrder::increasing;
constexpr ResourceOrder kDec = ResourceOrder::decreasing;
constexpr ResourceOrder kNone = ResourceOrder::none;

struct BuiltInRow {
  const char* name;
  ResourceType type;
  ResourceOrder order;
  int interval;  // seconds; 0: static
  const char* description;
};

constexpr ResourceType kNumeric = ResourceType::numeric;
constexpr ResourceType kString = ResourceType::string;

// The order of the first eleven is that of BuiltIn.
constexpr BuiltInRow kBuiltIn[] = {
    {"r15s", kNumeric, kInc, 15, "15-second CPU run queue length"},
    {"r1m", kNumeric, kInc, 15, "1-minute CPU run queue length (alias: cpu)"},
    {"r15m", kNumeric, kInc, 15, "15-minute CPU run queue length"},
    {"ut", kNumeric, kInc, 15, "1-minute CPU utilization (0.0 to 1.0)"},
    {"pg", kNumeric, kInc, 15, "Paging rate (pages/second)"},
    {"io", kNumeric, kInc, 15, "Disk IO rate (Kbytes/second)"},
    {"ls", kNumeric, kInc, 30, "Number of login sessions (alias: login)"},
    {"it", kNumeric, kDec, 30, "Idle time (minutes) (alias: idle)"},
    {"tmp", kNumeric, kDec, 120, "Disk space in /tmp (Mbytes)"},
    {"swp", kNumeric, kDec, 15, "Available swap space (Mbytes) (alias: swap)"},
    {"mem", kNumeric, kDec, 15, "Available memory (Mbytes)"},
    {"ncpus", kNumeric, kDec, 0, "Number of CPUs"},
    {"nprocs", kNumeric, kDec, 0, "Number of physical processors"},
    {"ncores", kNumeric, kDec, 0, "Number of cores per physical processor"},
    {"nthreads", kNumeric, kDec, 0, "Number of threads per processor core"},
    {"ndisks", kNumeric, kDec, 0, "Number of local disks"},
    {"maxmem", kNumeric, kDec, 0, "Maximum memory (Mbytes)"},
    {"maxswp", kNumeric, kDec, 0, "Maximum swap space (Mbytes)"},
    {"maxtmp", kNumeric, kDec, 0, "Maximum /tmp space (Mbytes)"},
    {"cpuf", kNumeric, kDec, 0, "CPU factor"},
    {"rexpri", kNumeric, kNone, 0, "Remote execution priority"},
    {"server", ResourceType::boolean, kNone, 0, "LSF server host"},
    {"type", kString, kNone, 0, "Host type"},
    {"model", kString, kNone, 0, "Host model"},
    {"status", kString, kNone, 0, "Host status"},
    {"hname", kString, kNone, 0, "Host name"},
};

// The manuals print both login and logins.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAliases{
    {{"cpu", "r1m"}, {"idle", "it"}, {"login", "ls"}, {"logins", "ls"}, {"swap", "swp"}}};

// Booleans of a host's RESOURCES that say how its CPUs are counted; they need no row in lsf.shared.
constexpr std::array<std::string_view, 3> kCountingNames{"define_ncpus_cores", "define_ncpus_procs",
                                                         "define_ncpus_threads"};

}  // namespace

std::string_view formal_name(std::string_view name) {
  for (const auto& [alias, formal] : kAliases)
    if (name == alias) return formal;
  return name;
}

IndexTable::IndexTable() {
  for (const BuiltInRow& row : kBuiltIn) {
    ResourceDefinition definition{.name = row.name, .type = row.type, .order = row.order};
    if (row.interval > 0) definition.interval = row.interval;
    definition.description = row.description;
    definition.built_in = true;
    add(std::move(definition));
  }
  built_in_ = size();
}

ResourceId IndexTable::add(ResourceDefinition definition) {
  const ResourceId id = size();
  const bool is_new = by_name_.emplace(definition.name, id).second;
  assert(is_new && formal_name(definition.name) == definition.name);
  static_cast<void>(is_new);
  all_.push_back(std::move(definition));
  return id;
}

std::optional<ResourceId> IndexTable::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(formal_name(name)));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

bool reserved_resource_name(std::string_view name) {
  const auto same = [name](std::string_view known) { return name == known; };
  return formal_name(name) != name || std::any_of(kCountingNames.begin(), kCountingNames.end(), same) ||
         std::any_of(std::begin(kBuiltIn), std::end(kBuiltIn),
                     [&](const BuiltInRow& row) { return same(row.name); });
}

}  // namespace rollcall
