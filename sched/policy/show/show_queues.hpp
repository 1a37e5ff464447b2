// show_queues: the output of bqueues: rows, blocks, fields, JSON. Pure. Columns of "IBM Spectrum LSF 10.1".
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched::show {

using Queues = wire::BatchReply::Queues;

std::string queues_table(const Queues& queues, bool wide);
std::string queues_long(const Queues& queues);
// bqueues -o FORMAT; `json`: -json.
struct FieldForm {
  bool json = false;
  bool header = true;  // false: -noheader
};
Result<std::string> queues_fields(const Queues& queues, const std::string& format, FieldForm form);
inline constexpr const char* kDefaultQueueFields =
    "queue_name priority status max jl_u jl_p jl_h njobs pend run susp";

// Limits below their titles, as in bqueues -l and bapp -l: " RUNLIMIT\n 5.0 min of hostA\n"; "": no limits.
std::string limits_text(const wire::Limits& limits);

}  // namespace rollcall::sched::show
