// The grammar is at the top of parse.cpp.
#include "common/resreq/parse_sections.hpp"

#include <algorithm>

#include "common/base/numbers.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::string_view kWhole = "a whole number from 1";

// Sums over jobs and conversions to bytes stay exact integers of a double, and far from its end.
constexpr double kMostUsage = 2e15;

bool at_close(Cursor& in) {
  in.skip_blanks();
  return in.at_end() || in.peek() == ']';
}

bool repeated(Cursor& in, std::size_t place, std::string_view name) {
  return in.fail_at(place, "\"" + std::string(name) + "\" a second time", "it once");
}

// duration=30, 30m, 2h, 90s.
bool parse_duration(Cursor& in, UsageString& usages) {
  const std::size_t begin = in.place();
  std::size_t digits = 0;
  while (is_digit(in.peek(digits))) ++digits;
  const auto count = parse_whole(in.text().substr(begin, digits), 0, kMaxSeconds);
  in.go_to(begin + digits);
  long long unit = 60;
  if (in.peek() == 'h') unit = 3600;
  if (in.peek() == 's') unit = 1;
  if (in.peek() == 'h' || in.peek() == 's' || in.peek() == 'm') in.go_to(in.place() + 1);
  if (!count || *count * unit > kMaxSeconds || continues_name(in.peek())) {
    in.go_to(begin);
    return in.fail("minutes (30, 30m), hours (2h) or seconds (90s)");
  }
  usages.duration = static_cast<int>(*count * unit);
  return true;
}

bool parse_decay(Cursor& in, UsageString& usages) {
  const auto decay = in.whole(0, 1, "0 or 1");
  if (decay) usages.decay = *decay == 1;
  return decay.has_value();
}

bool parse_value(Cursor& in, Usage& usage) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  usage.value = in.take_number();
  if (!usage.value) return in.fail("a number");
  return usage.value->value <= kMostUsage || in.fail_at(begin, std::string(usage.value->written),
                                                        "a number of at most 2e15 (megabytes of memory)");
}

bool parse_usage(Cursor& in, UsageString& usages) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = in.take_name();
  if (!name) return in.fail("a resource, duration= or decay=");
  const bool valued = in.take("=");
  if (valued && *name == "duration") {
    if (usages.duration) return repeated(in, begin, *name);
    return parse_duration(in, usages);
  }
  if (valued && *name == "decay") {
    if (usages.decay) return repeated(in, begin, *name);
    return parse_decay(in, usages);
  }
  if (*name == "duration" || *name == "decay") return in.fail("\"=\"");
  for (const Usage& known : usages.usages)
    if (known.name == *name) return repeated(in, begin, *name);
  Usage usage{std::string(*name), std::nullopt, {begin}};
  if (valued && !parse_value(in, usage)) return false;
  usages.usages.push_back(std::move(usage));
  return true;
}

// `count`: the usages of the whole section.
bool parse_usages(Cursor& in, UsageString& usages, std::size_t& count) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  do {
    if (!in.room_in_list(count) || !parse_usage(in, usages)) return false;
    ++count;
  } while (in.take(":"));
  return !usages.usages.empty() ||
         in.fail_at(begin, "no resource", "one at the least beside duration and decay");
}

bool parse_ptile_types(Cursor& in, Span& span) {
  while (in.take(",")) {
    const std::size_t begin = in.place();
    const auto type = in.word("a host type or model");
    if (!type || !in.expect(":") || !in.room_in_list(span.ptile_by.size())) return false;
    for (const auto& [known, number] : span.ptile_by)
      if (known == *type) return repeated(in, begin, *type);
    const auto number = in.whole(1, kMaxTasks, kWhole);
    if (!number) return false;
    span.ptile_by.emplace_back(*type, *number);
  }
  return true;
}

bool parse_ptile(Cursor& in, Span& span) {
  if (in.take("'!'") || in.take("\"!\"") || in.take("!")) {
    span.ptile_slots = true;
    return parse_ptile_types(in, span);
  }
  span.ptile = in.whole(1, kMaxTasks, "a whole number from 1, or '!'");
  return span.ptile.has_value();
}

bool parse_span_word(Cursor& in, Span& span) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = take_one_of(in, {"hosts", "ptile"});
  if (!name || !in.expect("=")) return false;
  if (*name == "ptile") {
    if (span.ptile || span.ptile_slots) return repeated(in, begin, *name);
    return parse_ptile(in, span);
  }
  if (span.hosts) return repeated(in, begin, *name);
  const int sign = in.take("-") ? -1 : 1;
  if (!in.whole(1, 1, "1 or -1")) return false;
  span.hosts = sign;
  return true;
}

bool parse_cu_value(Cursor& in, std::string_view name, ComputeUnits& cu) {
  if (!in.expect("=")) return false;
  if (name == "type") {
    const auto type = in.word("a compute unit type");
    cu.type = type.value_or("");
    return type.has_value();
  }
  if (name == "pref") {
    const auto pref = take_one_of(in, {"config", "maxavail", "minavail", "bestfit"});
    cu.pref = pref.value_or("");
    return pref.has_value();
  }
  auto& number = name == "maxcus" ? cu.maxcus : cu.usablecuslots;
  number = in.whole(1, kMaxTasks, kWhole);
  return number.has_value();
}

bool given(const ComputeUnits& cu, std::string_view name) {
  if (name == "type") return !cu.type.empty();
  if (name == "pref") return !cu.pref.empty();
  if (name == "maxcus") return cu.maxcus.has_value();
  if (name == "usablecuslots") return cu.usablecuslots.has_value();
  return name == "balance" ? cu.balance : cu.excl;
}

bool parse_cu_word(Cursor& in, ComputeUnits& cu) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = take_one_of(in, {"type", "pref", "maxcus", "usablecuslots", "balance", "excl"});
  if (!name) return false;
  if (given(cu, *name)) return repeated(in, begin, *name);
  if (*name != "balance" && *name != "excl") {
    if (!parse_cu_value(in, *name, cu)) return false;
  } else {
    (*name == "balance" ? cu.balance : cu.excl) = true;
  }
  return !(cu.balance && cu.pref == "bestfit") ||
         in.fail_at(begin, "balance together with pref=bestfit", "one of them");
}

}  // namespace

std::optional<std::string> take_one_of(Cursor& in, const std::vector<std::string_view>& known) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = in.take_name();
  if (name && std::find(known.begin(), known.end(), *name) != known.end()) return std::string(*name);
  std::string expected;
  for (std::size_t i = 0; i < known.size(); ++i)
    expected += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + std::string(known[i]);
  in.fail_at(begin, expected);
  return std::nullopt;
}

bool parse_order(Cursor& in, std::vector<OrderKey>& order) {
  if (at_close(in)) return true;
  do {
    OrderKey key;
    key.place = {in.place()};
    key.reversed = in.take("-");
    const auto name = in.take_name();
    if (!name) return in.fail("a resource");
    if (!in.room_in_list(order.size())) return false;
    key.name = *name;
    order.push_back(std::move(key));
  } while (in.take(":"));
  return true;
}

bool parse_rusage(Cursor& in, std::optional<Rusage>& rusage) {
  if (at_close(in)) return true;
  rusage.emplace();
  std::size_t count = 0;
  do {
    UsageAlternative alternative;
    do {
      if (!parse_usages(in, alternative.strings.emplace_back(), count)) return false;
    } while (in.take(","));
    rusage->alternatives.push_back(std::move(alternative));
  } while (in.take("||"));
  return true;
}

bool parse_span(Cursor& in, std::optional<Span>& span) {
  span.emplace();
  do {
    if (!parse_span_word(in, *span)) return false;
  } while (in.take(":"));
  return true;
}

bool parse_same(Cursor& in, std::vector<SameKey>& same) {
  if (at_close(in)) return true;
  do {
    const std::size_t begin = in.place();
    const auto name = in.take_name();
    if (!name) return in.fail("a resource");
    if (!in.room_in_list(same.size())) return false;
    same.push_back({std::string(*name), {begin}});
  } while (in.take(":"));
  return true;
}

bool parse_compute_units(Cursor& in, std::optional<ComputeUnits>& cu) {
  cu.emplace();
  if (at_close(in)) return true;
  do {
    if (!parse_cu_word(in, *cu)) return false;
  } while (in.take(":"));
  return true;
}

}  // namespace rollcall::resreq
