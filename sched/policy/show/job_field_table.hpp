// job_field_table: the fields of bjobs -o: names, widths and aliases as in bjobs(1), and the function that makes each from a job.
// Pure. Private to show_job_fields.cpp.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/show/show_job_fields.hpp"

namespace rollcall::sched::show {

// What a field's value is made from.
struct FieldSource {
  const JobView& view;
  const wire::JobRecord& job;
  const wire::Submission& asked;
  const ShowTime& time;
  const FieldUnits& units;
  std::string unit;  // of this column
};
using FieldValue = std::string (*)(const FieldSource&);

enum class FieldNeeds { record, submission, reasons };
struct JobField {
  const char* name;
  std::size_t width;
  const char* aliases;                    // blank-separated
  FieldValue value;                       // "": none
  FieldNeeds needs = FieldNeeds::record;  // what the answer must contain
  FieldValue json = nullptr;              // its value in -json, where that is no string
};

// In the order of bjobs(1), also for "all".
const std::vector<JobField>& job_fields();
std::string job_name_value(const FieldSource& of);

}  // namespace rollcall::sched::show
