// submit_values: parsers for the values of bsub's options: sizes, times, array names, hosts, files. Their grammars are at the top
// of submit_values.cpp. Rules: bsub(1). Errors are usage errors "found X, expected Y"; the caller adds the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/civil_time.hpp"
#include "common/base/result.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched {

struct Size {
  std::int64_t kb = 0;
  bool hard = false;  // "20GB!"
};
// `unit_kb`: the unit, in KB, of a number without one.
Result<Size> parse_size(std::string_view text, std::int64_t unit_kb);

struct RunTime {
  std::int64_t seconds = 0;
  std::string host_spec;  // the host or model whose CPU factor it refers to; "": none
};
Result<RunTime> parse_run_time(std::string_view text);

struct Slots {
  std::uint32_t least = 0, most = 0;
};
Result<Slots> parse_slots(std::string_view text);

struct ArrayName {
  std::string name;
  std::vector<wire::IndexRange> indices;
  std::uint32_t slots = 0;  // %N; 0: unlimited
};
Result<ArrayName> parse_array_name(std::string_view text);

// "1-10:2,15", the text between the brackets.
Result<std::vector<wire::IndexRange>> parse_indices(std::string_view text);

// The inverse of parse_array_name.
std::string array_name_text(const wire::Submission& job);

// NAME of NAME=VALUE.
inline std::string_view variable_name(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

// Seconds since 1970. Without a year (month, day): the next moment that fits.
Result<std::int64_t> parse_moment(std::string_view text, std::int64_t now, const LocalTime& local);

Result<std::vector<wire::AskedHost>> parse_asked_hosts(std::string_view text);
Result<wire::FileTransfer> parse_transfer(std::string_view text);
// A signal by its name, with or without SIG, or by its number.
Result<int> parse_signal(std::string_view text);
// -gpu in normal form: "num=2/task:mode=shared:j_exclusive=yes"; "-" means the defaults.
Result<std::string> parse_gpu(std::string_view text);

// The job's environment according to the -env options; without options, all of it. `all`: bsub's environment, NAME=VALUE.
Result<std::vector<std::string>> choose_environment(const std::vector<std::string>& options,
                                                    const std::vector<std::string>& all);

}  // namespace rollcall::sched
