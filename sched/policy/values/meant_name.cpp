#include "sched/policy/values/meant_name.hpp"

#include <algorithm>
#include <utility>

#include "common/base/glob.hpp"

namespace rollcall::sched {

bool in_range(const wire::IndexRange& range, std::int32_t index) {
  return index >= range.first() && index <= range.last() &&
         (index - range.first()) % std::max(1, range.step()) == 0;
}

MeantName::MeantName(const std::string& text) {
  meant_.name = text;
  if (auto array = parse_array_name(text); array && !array->indices.empty()) meant_ = std::move(*array);
}

bool MeantName::is_plain() const {
  return !meant_.name.empty() && meant_.name.find('*') == std::string::npos;
}

bool MeantName::fits(const std::string& name) const {
  return meant_.name.empty() || glob_matches(meant_.name, name);
}

bool MeantName::fits_element(std::int32_t index) const {
  return meant_.indices.empty() || std::any_of(meant_.indices.begin(), meant_.indices.end(),
                                               [index](const auto& range) { return in_range(range, index); });
}

bool MeantName::fits_array(const wire::Submission& asked) const {
  const auto has = [&asked](const wire::IndexRange& meant) {
    return std::any_of(asked.indices().begin(), asked.indices().end(), [&meant](const auto& own) {
      return own.first() <= meant.last() && meant.first() <= own.last();
    });
  };
  return meant_.indices.empty() || std::any_of(meant_.indices.begin(), meant_.indices.end(), has);
}

}  // namespace rollcall::sched
