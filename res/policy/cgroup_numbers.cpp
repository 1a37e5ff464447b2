#include "res/policy/cgroup_numbers.hpp"

#include <algorithm>
#include <charconv>

namespace rollcall::res {
namespace {

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || (read.ptr != text.data() + text.size() && *read.ptr != '\n'))
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> flat_number(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ')
      return number_at(line.substr(name.size() + 1));
  }
  return std::nullopt;
}

CgroupNumbers cgroup_numbers(const CgroupTexts& texts) {
  CgroupNumbers numbers;
  const auto user = flat_number(texts.cpu_stat, "user_usec");
  const auto system = flat_number(texts.cpu_stat, "system_usec");
  if (user && system) {
    numbers.cpu = true;
    numbers.user_s = static_cast<double>(*user) * 1e-6;
    numbers.system_s = static_cast<double>(*system) * 1e-6;
  }
  const auto current = number_at(texts.memory_current);
  if (!current) return numbers;
  numbers.memory = true;
  // Subtract the page cache: the kernel keeps it only while memory is free. Shared memory counts as "file" too, but is in use.
  const std::int64_t cache = std::max<std::int64_t>(flat_number(texts.memory_stat, "file").value_or(0) -
                                                        flat_number(texts.memory_stat, "shmem").value_or(0),
                                                    0);
  numbers.memory_kb = std::max<std::int64_t>(*current - cache, 0) / 1024;
  const std::int64_t peak = number_at(texts.memory_peak).value_or(0);
  numbers.peak_kb = std::max(numbers.memory_kb, (peak - cache) / 1024);
  numbers.ended_for_memory = flat_number(texts.memory_events, "oom_kill").value_or(0);
  return numbers;
}

}  // namespace rollcall::res
