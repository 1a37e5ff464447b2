// ModifyField: the fields of a submission that bmod may change, by the numbers of ModifyJobs.fields, and which of them may change
// once the job has a host. A table; book_modify.cpp decides who may change which job.
#pragma once

#include <cstdint>

#include "common/wire/job.pb.h"

namespace rollcall::sched::book {

struct ModifyField {
  std::int32_t number;
  // Copies the field from `from`; clears it if it is not set there.
  void (*take)(wire::Submission& to, const wire::Submission& from);
  // For a job that has a host. `keep`: only the record changes. `tell`: the host, which enforces the field, is told too.
  enum class Started { refuse, keep, tell } started = Started::refuse;
};

// nullptr: bmod cannot change this field.
const ModifyField* modify_field(std::int32_t number);
// -o -oo -e -eo.
bool output_field(std::int32_t number);

}  // namespace rollcall::sched::book
