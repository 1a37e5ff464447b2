#include "sched/policy/peers/definitions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/host_list.hpp"
#include "sched/policy/peers/crossing.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr int kMostDefinitions = 10'000;  // of each kind
constexpr double kMostCpuFactor = 1e9;

const char* kind_of(ResourceType type) {
  switch (type) {
    case ResourceType::boolean:
      return "Boolean";
    case ResourceType::numeric:
      return "Numeric";
    case ResourceType::string:
      return "String";
  }
  return "";
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string model_difference(const wire::PeerDefinitions::Model& here,
                             const wire::PeerDefinitions::Model& there) {
  if (here.cpu_factor() == there.cpu_factor()) return "";
  return "CPU factor is " + number(here.cpu_factor()) + " here and " + number(there.cpu_factor()) + " there";
}

std::string resource_difference(const wire::PeerDefinitions::Resource& here,
                                const wire::PeerDefinitions::Resource& there) {
  if (here.kind() != there.kind()) return "TYPE is " + here.kind() + " here and " + there.kind() + " there";
  const auto yes_no = [](bool value) { return std::string(value ? "Y" : "N"); };
  const auto differs = [&](const char* what, bool ours, bool theirs) {
    return std::string(what) + " is " + yes_no(ours) + " here and " + yes_no(theirs) + " there";
  };
  if (here.dynamic() != there.dynamic())
    return here.dynamic() ? "INTERVAL is given here alone" : "INTERVAL is given there alone";
  if (here.increasing() != there.increasing())
    return differs("INCREASING", here.increasing(), there.increasing());
  if (here.release() != there.release()) return differs("RELEASE", here.release(), there.release());
  if (here.consumable() != there.consumable())
    return differs("CONSUMABLE", here.consumable(), there.consumable());
  return "";
}

// By name, of one kind: "host model "x" is defined here alone", or what `differ` says.
template <class Rows, class Differ>
void compare(const char* kind, const Rows& here, const Rows& there, Differ differ,
             std::vector<std::string>& lines) {
  using Row = typename Rows::value_type;
  std::map<std::string, std::pair<const Row*, const Row*>> by_name;
  for (const auto& row : here) by_name[row.name()].first = &row;
  for (const auto& row : there) by_name[row.name()].second = &row;
  for (const auto& [name, rows] : by_name) {
    const std::string what = std::string(kind) + " " + printable(name);
    if (rows.first == nullptr || rows.second == nullptr)
      lines.push_back(what + " is defined " + (rows.first == nullptr ? "there" : "here") + " alone");
    else if (const std::string difference = differ(*rows.first, *rows.second); !difference.empty())
      lines.push_back(what + ": " + difference);
  }
}

void compare_types(const wire::PeerDefinitions& here, const wire::PeerDefinitions& there,
                   std::vector<std::string>& lines) {
  const std::set<std::string> ours(here.types().begin(), here.types().end());
  const std::set<std::string> theirs(there.types().begin(), there.types().end());
  std::set<std::string> all = ours;
  all.insert(theirs.begin(), theirs.end());
  for (const std::string& name : all)
    if (ours.contains(name) != theirs.contains(name))
      lines.push_back("host type " + printable(name) + " is defined " +
                      (ours.contains(name) ? "here" : "there") + " alone");
}

}  // namespace

bool exports_to(const conf::LsbResources& resources, const std::string& cluster) {
  const auto names = [&](const auto& row) {
    return std::any_of(row.distribution.begin(), row.distribution.end(),
                       [&](const conf::Share& share) { return share.name == cluster; });
  };
  return std::any_of(resources.host_exports.begin(), resources.host_exports.end(), names) ||
         std::any_of(resources.resource_exports.begin(), resources.resource_exports.end(), names);
}

wire::PeerDefinitions definitions_of(const conf::LsfShared& shared) {
  wire::PeerDefinitions all;
  for (const auto& type : shared.host_types) all.add_types(type);
  for (const auto& model : shared.models) {
    auto& told = *all.add_models();
    told.set_name(model.name);
    told.set_cpu_factor(model.cpu_factor);
  }
  for (const auto& row : shared.resources) {
    auto& told = *all.add_resources();
    told.set_name(row.definition.name);
    told.set_kind(kind_of(row.definition.type));
    told.set_increasing(row.definition.order == ResourceOrder::increasing);
    told.set_release(row.definition.release);
    told.set_consumable(row.definition.consumable.value_or(true));
    told.set_dynamic(row.definition.dynamic());
  }
  return all;
}

wire::PeerDefinitions believed(const wire::PeerDefinitions& told) {
  wire::PeerDefinitions all;
  for (const auto& type : told.types())
    if (is_name(type) && all.types_size() < kMostDefinitions) all.add_types(type);
  for (const auto& model : told.models())
    if (is_name(model.name()) && all.models_size() < kMostDefinitions && model.cpu_factor() >= 0 &&
        model.cpu_factor() <= kMostCpuFactor)  // no NaN
      *all.add_models() = model;
  for (const auto& resource : told.resources())
    if (is_name(resource.name()) && is_name(resource.kind()) && all.resources_size() < kMostDefinitions)
      *all.add_resources() = resource;
  return all;
}

std::vector<std::string> differences(const wire::PeerDefinitions& here, const wire::PeerDefinitions& there) {
  std::vector<std::string> lines;
  compare_types(here, there, lines);
  compare("host model", here.models(), there.models(), model_difference, lines);
  compare("resource", here.resources(), there.resources(), resource_difference, lines);
  return lines;
}

}  // namespace rollcall::sched::peers
