// What stands behind bsub's options: sizes, times, array names, hosts, files. Functions over text; the grammar of each is
// at the top of submit_values.cpp. Rules: bsub(1). Errors are "found X, expected Y", usage errors; the option is added by
// the caller.
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
// A number without a unit counts `unit_kb` KB each.
Result<Size> parse_size(std::string_view text, std::int64_t unit_kb);

struct RunTime {
  std::int64_t seconds = 0;
  std::string host_spec;  // the host or model whose speed it is meant for
};
Result<RunTime> parse_run_time(std::string_view text);

struct Slots {
  std::uint32_t least = 0, most = 0;
};
Result<Slots> parse_slots(std::string_view text);

struct ArrayName {
  std::string name;
  std::vector<wire::IndexRange> indices;
  std::uint32_t slots = 0;  // %N; 0: any number may run at once
};
Result<ArrayName> parse_array_name(std::string_view text);

// "1-10:2,15", what stands between the brackets.
Result<std::vector<wire::IndexRange>> parse_indices(std::string_view text);

// The inverse of parse_array_name.
std::string array_name_text(const wire::Submission& job);

// NAME of NAME=VALUE.
inline std::string_view variable_name(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

// Seconds since 1970. A date without a year is the next one that fits.
Result<std::int64_t> parse_moment(std::string_view text, std::int64_t now, const LocalTime& local);

Result<std::vector<wire::AskedHost>> parse_asked_hosts(std::string_view text);
Result<wire::FileTransfer> parse_transfer(std::string_view text);
// A signal by its name, with or without SIG, or by its number.
Result<int> parse_signal(std::string_view text);
// -gpu in normal form: "num=2/task:mode=shared:j_exclusive=yes"; "-" asks for what is the default.
Result<std::string> parse_gpu(std::string_view text);

// The job's environment after all -env; none given: everything. `all`: NAME=VALUE words of bsub's.
Result<std::vector<std::string>> choose_environment(const std::vector<std::string>& options,
                                                    const std::vector<std::string>& all);

}  // namespace rollcall::sched
