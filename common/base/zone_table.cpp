// file    = block [ block "\n" rule "\n" ]       the second from version 2 on, with times of 8 bytes; it counts then
// block   = "TZif" version 15*reserved 6*count times kinds types names leaps standard universal
// rule    = name offset [ name [ offset ] "," date "," date ]             for all that is later than the times
// name    = 3*letter | "<" *any ">"
// offset  = [ "+" | "-" ] hours [ ":" minutes [ ":" seconds ] ]           west of UTC; of a date: after midnight
// date    = ( "M" month "." week "." weekday | "J" day | day ) [ "/" offset ]
#include "common/base/zone_table.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "common/base/civil_time.hpp"

namespace rollcall {
namespace {

constexpr std::int64_t kHourSeconds = 3600;
constexpr std::int64_t kDaySeconds = 24 * kHourSeconds;

// ---------------------------------------------------------------- the rule behind the times

struct ZoneDate {
  enum class Kind { month_week_day, day_without_leap, day_from_zero } kind = Kind::month_week_day;
  int month = 0, week = 0, day = 0;
  std::int64_t after_midnight = 2 * kHourSeconds;
};

struct ZoneRule {
  std::int64_t standard = 0, summer = 0;  // seconds east
  std::optional<ZoneDate> begin, end;     // none: no summer time
};

class ZoneRuleReader {
 public:
  explicit ZoneRuleReader(std::string_view text) : left_(text) {}

  std::optional<ZoneRule> rule() {
    ZoneRule rule;
    name();
    rule.standard = -offset();
    if (good_ && !left_.empty()) {
      name();
      rule.summer = left_.starts_with(',') ? rule.standard + kHourSeconds : -offset();
      rule.begin = date();
      rule.end = date();
    }
    return good_ && left_.empty() ? std::optional(rule) : std::nullopt;
  }

 private:
  bool take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void need(bool is_there) { good_ = good_ && is_there; }

  void name() {
    const bool quoted = take('<');
    const auto ends = [quoted](unsigned char c) { return quoted ? c == '>' : std::isalpha(c) == 0; };
    const auto end = std::find_if(left_.begin(), left_.end(), ends);
    const auto length = static_cast<std::size_t>(end - left_.begin());
    need(quoted || length >= 3);
    left_.remove_prefix(length);
    if (quoted) need(take('>'));
  }

  int number(int most) {
    int value = 0;
    std::size_t digits = 0;
    while (digits < left_.size() && digits < 4 && left_[digits] >= '0' && left_[digits] <= '9')
      value = value * 10 + (left_[digits++] - '0');
    need(digits > 0 && value <= most);
    left_.remove_prefix(digits);
    return value;
  }

  std::int64_t offset() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t seconds = number(167) * kHourSeconds;
    if (take(':')) seconds += number(59) * 60;
    if (take(':')) seconds += number(59);
    return negative ? -seconds : seconds;
  }

  ZoneDate date() {
    ZoneDate date;
    need(take(','));
    if (take('M')) {
      date.month = number(12);
      need(take('.'));
      date.week = number(5);
      need(take('.'));
      date.day = number(6);
      need(date.month > 0 && date.week > 0);
    } else {
      date.kind = take('J') ? ZoneDate::Kind::day_without_leap : ZoneDate::Kind::day_from_zero;
      date.day = number(365);
    }
    if (take('/')) date.after_midnight = offset();
    return date;
  }

  std::string_view left_;
  bool good_ = true;
};

// Midnight of the date in a year, as if the zone were UTC.
std::int64_t midnight(const ZoneDate& date, int year) {
  const std::int64_t first = utc_seconds({year, 1, 1, 0, 0, 0, 0});
  switch (date.kind) {
    case ZoneDate::Kind::day_from_zero:
      return first + date.day * kDaySeconds;
    case ZoneDate::Kind::day_without_leap: {
      const bool leap = utc_seconds({year, 3, 1, 0, 0, 0, 0}) - first == 60 * kDaySeconds;
      return first + (date.day - 1 + (leap && date.day > 59 ? 1 : 0)) * kDaySeconds;
    }
    default:
      break;
  }
  const std::int64_t month = utc_seconds({year, date.month, 1, 0, 0, 0, 0});
  const std::int64_t next = utc_seconds({year, date.month + 1, 1, 0, 0, 0, 0});
  std::int64_t day = month + (date.day - utc_time(month).weekday + 7) % 7 * kDaySeconds;
  for (int week = 1; week < date.week && day + 7 * kDaySeconds < next; ++week) day += 7 * kDaySeconds;
  return day;
}

std::int64_t offset_by_rule(const ZoneRule& rule, std::int64_t when) {
  if (!rule.begin) return rule.standard;
  const int year = utc_time(when + rule.standard).year;
  const std::int64_t begin = midnight(*rule.begin, year) + rule.begin->after_midnight - rule.standard;
  const std::int64_t end = midnight(*rule.end, year) + rule.end->after_midnight - rule.summer;
  const bool summer = begin < end ? when >= begin && when < end : when >= begin || when < end;
  return summer ? rule.summer : rule.standard;
}

// ---------------------------------------------------------------- the file

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = static_cast<unsigned char>(bytes[0]) >= 0x80 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

constexpr std::size_t kZoneHead = 44, kZoneTypeSize = 6;
constexpr std::int64_t kMostOfAKind = 100'000;

// The parts of a block of which something is wanted.
struct ZoneBlock {
  std::string_view times, kinds, types;
  char version = 0;
  std::size_t size = 0;  // of the whole, with its head

  std::size_t count() const { return kinds.size(); }
  std::int64_t time(std::size_t number) const {
    const std::size_t width = times.size() / count();
    return big_endian(times.substr(number * width, width));
  }
  std::optional<std::int32_t> offset(std::size_t kind) const {
    if ((kind + 1) * kZoneTypeSize > types.size()) return std::nullopt;
    return static_cast<std::int32_t>(big_endian(types.substr(kind * kZoneTypeSize, 4)));
  }
};

std::optional<ZoneBlock> zone_block(std::string_view file, std::size_t width) {
  if (file.size() < kZoneHead || !file.starts_with("TZif")) return std::nullopt;
  std::size_t counts[6];  // universal, standard, leaps, times, types, letters
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    const std::int64_t count = big_endian(file.substr(20 + 4 * i, 4));
    if (count < 0 || count > kMostOfAKind) return std::nullopt;
    counts[i] = static_cast<std::size_t>(count);
  }
  const auto [universal, standard, leaps, times, types, letters] = counts;
  ZoneBlock block;
  block.version = file[4];
  block.size = kZoneHead + times * (width + 1) + types * kZoneTypeSize + letters + leaps * (width + 4) +
               standard + universal;
  if (types == 0 || block.size > file.size()) return std::nullopt;
  block.times = file.substr(kZoneHead, times * width);
  block.kinds = file.substr(kZoneHead + times * width, times);
  block.types = file.substr(kZoneHead + times * (width + 1), types * kZoneTypeSize);
  return block;
}

}  // namespace

std::optional<std::int32_t> offset_in_zone(std::string_view file, std::int64_t when) {
  auto block = zone_block(file, 4);
  std::string_view rule;
  if (block && block->version >= '2') {
    file.remove_prefix(block->size);
    block = zone_block(file, 8);
    if (!block) return std::nullopt;
    rule = file.substr(block->size);
    if (rule.size() < 2 || !rule.starts_with('\n') || !rule.ends_with('\n')) return std::nullopt;
    rule = rule.substr(1, rule.size() - 2);
  }
  if (!block) return std::nullopt;
  std::size_t passed = 0;
  while (passed < block->count() && block->time(passed) <= when) ++passed;
  if (passed == block->count() && !rule.empty()) {
    const auto read = ZoneRuleReader(rule).rule();
    if (!read) return std::nullopt;
    return static_cast<std::int32_t>(offset_by_rule(*read, when));
  }
  // What was before the first time is of the first type.
  return block->offset(passed == 0 ? 0 : static_cast<unsigned char>(block->kinds[passed - 1]));
}

}  // namespace rollcall
