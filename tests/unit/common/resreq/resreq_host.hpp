// For the tests of requirements: a cluster with a few resources of its own, and a host with the values that a test gives it.
#pragma once

#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "common/resreq/evaluate.hpp"

namespace rollcall::resreq {

inline IndexTable test_cluster() {
  IndexTable table;
  table.add({.name = "linux"});
  table.add({.name = "aix"});
  table.add(
      {.name = "ngpus", .type = ResourceType::numeric, .order = ResourceOrder::decreasing, .interval = 60});
  table.add(
      {.name = "scratch", .type = ResourceType::numeric, .order = ResourceOrder::decreasing, .interval = 60});
  table.add({.name = "profile", .type = ResourceType::string});
  table.add(
      {.name = "lic", .type = ResourceType::numeric, .order = ResourceOrder::decreasing, .interval = 60});
  table.add({.name = "größe", .type = ResourceType::numeric});
  return table;
}

inline const IndexTable& cluster() {
  static const IndexTable table = test_cluster();
  return table;
}

// Numbers, words and Booleans by name; nothing else is known of it.
class TestHost : public HostView {
 public:
  TestHost(std::map<std::string, double> numbers, std::map<std::string, std::string> words = {})
      : numbers_(std::move(numbers)), words_(std::move(words)) {}

  double number(ResourceId id) const override {
    const auto found = numbers_.find(cluster().at(id).name);
    return found == numbers_.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
  std::string_view word(ResourceId id) const override {
    const auto found = words_.find(cluster().at(id).name);
    return found == words_.end() ? std::string_view{} : std::string_view(found->second);
  }
  bool has(ResourceId id) const override {
    const std::string& name = cluster().at(id).name;
    return numbers_.count(name) > 0 || words_.count(name) > 0;
  }

 private:
  std::map<std::string, double> numbers_;
  std::map<std::string, std::string> words_;
};

// A requirement that must parse.
inline ResReq parsed(std::string_view text, const Syntax& syntax = {}) {
  ParseResult result = parse(text, syntax);
  if (result.error) throw std::runtime_error(caret_lines(text, *result.error));
  return std::move(result.value);
}
inline std::string normal(std::string_view text, const Syntax& syntax = {}) {
  return print(parsed(text, syntax));
}

}  // namespace rollcall::resreq
