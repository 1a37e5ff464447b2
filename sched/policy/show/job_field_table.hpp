// The fields of bjobs -o: their names, widths and aliases as bjobs(1) has them, and how each is made of a job. Pure.
// Only show_job_fields.cpp includes it.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/show/show_job_fields.hpp"

namespace rollcall::sched::show {

// What a value is made of.
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
  FieldNeeds needs = FieldNeeds::record;  // what the answer must bring
};

// In the order of bjobs(1), which "all" keeps.
const std::vector<JobField>& job_fields();
std::string job_name_value(const FieldSource& of);

}  // namespace rollcall::sched::show
