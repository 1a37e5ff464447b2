// IndexTable: every resource of a cluster, built-in and site-defined, each with its number. What a load vector, a
// resource requirement and lsinfo agree on. A value.
//
// Built-in ones come first and have the same numbers everywhere (BuiltIn); those of lsf.shared follow in its order.
// Rules: "Platform LSF Administration 7.3", resources; names and descriptions as `lsinfo` of the manual prints them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rollcall {

enum class ResourceType { numeric, boolean, string };
enum class ResourceOrder { none, increasing, decreasing };  // increasing: a larger value means more load

struct ResourceDefinition {
  std::string name;
  ResourceType type = ResourceType::boolean;
  ResourceOrder order = ResourceOrder::none;
  std::optional<int> interval;  // seconds; present: dynamic, an elim (or LIM itself) reports it
  bool release = true;          // a suspended job gives it back (numeric shared resources)
  std::optional<bool> consumable;
  std::string description;
  bool built_in = false;

  bool dynamic() const { return interval.has_value(); }
  friend bool operator==(const ResourceDefinition&, const ResourceDefinition&) = default;
};

using ResourceId = std::uint32_t;  // a place in the IndexTable

// The built-in load indices, in the order of lsload -l. Their numbers are their places in every IndexTable and
// LoadVector.
namespace built_in {
enum BuiltIn : ResourceId { r15s, r1m, r15m, ut, pg, io, ls, it, tmp, swp, mem };
}
using built_in::BuiltIn, built_in::r15s, built_in::r1m, built_in::r15m, built_in::ut, built_in::pg,
    built_in::ls;
using built_in::it, built_in::tmp, built_in::swp,
    built_in::mem;  // built_in::io has a room's name: written in full
inline constexpr ResourceId kBuiltInIndices = 11;

// Of `name` as written in a requirement or a threshold column: aliases (cpu idle login logins swap) give the formal
// name; anything else is returned as it is.
std::string_view formal_name(std::string_view name);

class IndexTable {
 public:
  // The built-in resources alone: 11 load indices, then ncpus nprocs ncores nthreads ndisks maxmem maxswp maxtmp cpuf
  // rexpri, the Boolean server, and the strings type model status hname.
  IndexTable();

  // One more resource; its name must be new and not an alias. Gives its number.
  ResourceId add(ResourceDefinition definition);

  std::optional<ResourceId> find(std::string_view name) const;  // formal names and aliases
  const ResourceDefinition& at(ResourceId id) const { return all_[id]; }
  const std::vector<ResourceDefinition>& all() const { return all_; }
  ResourceId size() const { return static_cast<ResourceId>(all_.size()); }
  // The first number that is not built in.
  ResourceId built_in() const { return built_in_; }

 private:
  std::vector<ResourceDefinition> all_;
  std::unordered_map<std::string, ResourceId> by_name_;
  ResourceId built_in_ = 0;
};

// True for a name that a site may not define: the built-in ones, their aliases, and those kept for later.
bool reserved_resource_name(std::string_view name);

}  // namespace rollcall
