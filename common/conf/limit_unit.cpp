#include "common/conf/limit_unit.hpp"

#include "common/conf/words.hpp"

namespace rollcall::conf {

std::optional<std::int64_t> unit_kb(std::string_view unit) {
  constexpr std::string_view kUnits = "kmgtpez";
  const std::string word = lower(unit);
  if (word.empty() || word.size() > 2 || (word.size() == 2 && word[1] != 'b')) return std::nullopt;
  const std::size_t power = kUnits.find(word[0]);
  if (power == kUnits.npos) return std::nullopt;
  return std::int64_t{1} << (10 * power);
}

}  // namespace rollcall::conf
