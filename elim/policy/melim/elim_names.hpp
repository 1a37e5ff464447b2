// ElimNames: every name that an elim of this host may report, with its type and limits. A value.
//
// It comes with MELIM's orders: the external resources mapped to this host, and the built-in indices, which an elim may override
// by their formal names. It is not the cluster's IndexTable, and has no values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/index_table.hpp"

namespace rollcall::melim {

struct ElimName {
  std::string name;
  ResourceType type = ResourceType::numeric;  // Boolean ones are reported as numbers
  bool built_in = false;                      // an override: 0 at the least
  std::optional<double> most;                 // the largest value that an override may have
};

class ElimNames {
 public:
  ElimNames() = default;
  ElimNames(ElimNames&&) = default;
  ElimNames& operator=(ElimNames&&) = default;
  ElimNames(const ElimNames&) = delete;  // the map looks into the list
  ElimNames& operator=(const ElimNames&) = delete;
  // The first of two with one name counts.
  // `fixed`: resources of lsf.shared without INTERVAL, which no elim may report.
  explicit ElimNames(std::vector<ElimName> names, std::set<std::string, std::less<>> fixed = {});

  const ElimName* find(std::string_view name) const;
  bool is_fixed(std::string_view name) const { return fixed_.contains(name); }
  // The formal name of the built-in index that has the alias `name` ("cpu" is r1m's); empty where it is none.
  std::string_view meant_by(std::string_view name) const;

 private:
  std::vector<ElimName> names_;
  std::unordered_map<std::string_view, std::size_t> places_;  // views of names_
  std::set<std::string, std::less<>> fixed_;
};

}  // namespace rollcall::melim
