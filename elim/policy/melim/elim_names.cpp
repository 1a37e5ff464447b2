#include "elim/policy/melim/elim_names.hpp"

#include <utility>

namespace rollcall::melim {

ElimNames::ElimNames(std::vector<ElimName> names, std::set<std::string, std::less<>> fixed)
    : names_(std::move(names)), fixed_(std::move(fixed)) {
  for (std::size_t i = 0; i < names_.size(); ++i) places_.emplace(names_[i].name, i);
}

const ElimName* ElimNames::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &names_[found->second];
}

std::string_view ElimNames::meant_by(std::string_view name) const {
  const std::string_view formal = formal_name(name);
  if (formal == name) return {};
  const ElimName* meant = find(formal);
  return meant && meant->built_in ? formal : std::string_view{};
}

}  // namespace rollcall::melim
