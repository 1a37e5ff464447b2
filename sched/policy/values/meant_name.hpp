// MeantName: which jobs option -J of a command means. A value.
//
//   name [ "[" indices "]" ]     name: with "*" for any text; indices as bsub -J has them: of an array, these elements
//
// Without indices it means jobs and whole arrays of that name. A text whose brackets hold no indices is a name.
#pragma once

#include <cstdint>
#include <string>

#include "sched/policy/values/submit_values.hpp"

namespace rollcall::sched {

class MeantName {
 public:
  MeantName() = default;
  explicit MeantName(const std::string& text);

  // Without indices; "": any job is meant.
  const std::string& name() const { return meant_.name; }
  // One name alone can fit.
  bool is_plain() const;
  bool fits(const std::string& name) const;
  // With indices: elements of an array are meant, and each speaks for itself.
  bool names_elements() const { return !meant_.indices.empty(); }
  // 0: of a job that is no element, or of a whole array.
  bool fits_element(std::int32_t index) const;
  // Whether an array may have an element that is meant.
  bool fits_array(const wire::Submission& asked) const;

 private:
  ArrayName meant_;
};

bool in_range(const wire::IndexRange& range, std::int32_t index);

}  // namespace rollcall::sched
