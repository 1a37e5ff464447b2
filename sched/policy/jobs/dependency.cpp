// Prints dependencies, and binds their names to ids.
#include "sched/policy/jobs/dependency.hpp"

#include <algorithm>
#include <unordered_map>

namespace rollcall::sched::jobs {

bool Dependency::per_element() const {
  return std::any_of(conditions_.begin(), conditions_.end(), [](const JobCondition& c) { return c.each; });
}

// ---------------------------------------------------------------- printing

namespace {

std::string text_of(const JobCondition& condition) {
  // The index of a name goes inside the quotes, because the name itself may end in "[3]".
  std::string job = condition.name.empty() ? std::to_string(condition.id) : condition.name;
  if (condition.each)
    job += "[*]";
  else if (condition.index != 0)
    job += "[" + std::to_string(condition.index) + "]";
  if (!condition.name.empty()) {
    const char quote = job.find('"') == std::string::npos ? '"' : '\'';
    job = quote + job + quote;
  }
  std::string argument;
  if (condition.all_elements)
    argument = ", *";
  else if (condition.comparison)
    argument = ", " + std::string(text(*condition.comparison)) + " " + std::to_string(condition.number);
  return std::string(text(condition.condition)) + "(" + job + argument + ")";
}

}  // namespace

// `strength`: of the operator around it: 0 none, 1 "||", 2 "&&", 3 "!". A left operand with the same operator needs no parentheses,
// a right one does: a || (b || c) is another tree.
std::string Dependency::text_of(std::uint32_t node, int strength) const {
  const Node& n = nodes_[node];
  switch (n.kind) {
    case Node::Kind::condition:
      return jobs::text_of(conditions_[n.first]);
    case Node::Kind::no:
      return "!" + text_of(n.first, 3);
    default:
      break;
  }
  const bool is_both = n.kind == Node::Kind::both;
  const int own = is_both ? 2 : 1;
  std::string inside = text_of(n.first, own) + (is_both ? " && " : " || ") + text_of(n.second, own + 1);
  return strength > own ? "(" + inside + ")" : inside;
}

std::string Dependency::text() const {
  return nodes_.empty() ? "" : text_of(static_cast<std::uint32_t>(nodes_.size() - 1), 0);
}

// ---------------------------------------------------------------- binding

Result<Dependency> Dependency::bound(const Ids& ids, const Known& known) const {
  Dependency result;
  result.nodes_.reserve(nodes_.size());
  std::vector<std::uint32_t> place(nodes_.size());  // by node of this tree: its place in the result
  std::unordered_map<std::string, std::vector<std::int32_t>> named;  // each name is looked up once
  std::size_t patterns = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node node = nodes_[i];
    if (node.kind != Node::Kind::condition) {
      node.first = place[node.first];
      if (node.kind != Node::Kind::no) node.second = place[node.second];
      result.nodes_.push_back(node);
      place[i] = static_cast<std::uint32_t>(result.nodes_.size() - 1);
      continue;
    }
    JobCondition condition = conditions_[node.first];
    std::vector<std::int32_t> meant{condition.id};
    if (!condition.name.empty()) {
      const bool pattern = condition.name.find('*') != std::string::npos;
      auto known_name = named.find(condition.name);
      if (known_name == named.end()) {
        if (pattern && ++patterns > kMostPatterns)
          return usage_error("dependency condition: found more than " + std::to_string(kMostPatterns) +
                             " names with \"*\", expected fewer");
        known_name = named.emplace(condition.name, ids(condition.name)).first;
        if (!pattern && known_name->second.size() > 1) known_name->second.resize(1);
      }
      meant = known_name->second;
      if (meant.empty()) return usage_error(condition.name + ": No matching job found");
    } else if (!known(condition.id)) {
      return usage_error("Job <" + std::to_string(condition.id) + "> is not found");
    }
    condition.name.clear();
    for (std::size_t k = 0; k < meant.size(); ++k) {
      if (result.conditions_.size() == kMostConditions)
        return usage_error("dependency condition: found more than " + std::to_string(kMostConditions) +
                           " jobs, expected fewer");
      condition.id = meant[k];
      result.conditions_.push_back(condition);
      result.nodes_.push_back(
          {Node::Kind::condition, static_cast<std::uint32_t>(result.conditions_.size() - 1), 0});
      const auto here = static_cast<std::uint32_t>(result.nodes_.size() - 1);
      if (k > 0) result.nodes_.push_back({Node::Kind::both, place[i], here});
      place[i] = static_cast<std::uint32_t>(result.nodes_.size() - 1);
    }
  }
  return result;
}

}  // namespace rollcall::sched::jobs
