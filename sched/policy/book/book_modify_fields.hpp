// ModifyField: what bmod may change of a submission, by the numbers of ModifyJobs.fields, and whether it may still change once the
// job has a host. A table; who may change which job is book_modify.cpp's.
#pragma once

#include <cstdint>

#include "common/wire/job.pb.h"

namespace rollcall::sched::book {

struct ModifyField {
  std::int32_t number;
  // Taken from `from`, whether it is set there or not.
  void (*take)(wire::Submission& to, const wire::Submission& from);
  // Of a job that has a host: `keep` changes what is written down alone, `tell` what its host enforces too.
  enum class Started { refuse, keep, tell } started = Started::refuse;
};

// nullptr: nobody may change it.
const ModifyField* modify_field(std::int32_t number);
// -o -oo -e -eo.
bool output_field(std::int32_t number);

}  // namespace rollcall::sched::book
