#include "common/base/job_numbers.hpp"

namespace rollcall {

std::string with_job_numbers(std::string_view name, std::int32_t id, std::int32_t index) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char next = i + 1 < name.size() ? name[i + 1] : '\0';
    if (name[i] == '%' && (next == 'J' || next == 'I')) {
      result += std::to_string(next == 'J' ? id : index);
      ++i;
    } else {
      result += name[i];
    }
  }
  return result;
}

}  // namespace rollcall
