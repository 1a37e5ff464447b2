// The affinity section. The grammar is at the top of parse.cpp.
#include "common/base/numbers.hpp"
#include "common/resreq/parse_sections.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::string_view kWholeNumber = "a whole number from 1";

std::optional<std::string> take_unit(Cursor& in) {
  auto unit = take_one_of(in, {"numa", "socket", "core", "thread", "mcm", "cpu"});
  if (unit == "mcm") return "numa";
  if (unit == "cpu") return "thread";
  return unit;
}

bool set_once(Cursor& in, std::size_t place, std::string_view name, std::string& where,
              std::optional<std::string> value) {
  if (!value) return false;
  if (!where.empty()) return in.fail_at(place, "\"" + std::string(name) + "\" a second time", "it once");
  where = std::move(*value);
  return true;
}

// exclusive=socket, exclusive=(socket), exclusive=(socket, injob).
bool parse_exclusive(Cursor& in, std::size_t place, AffinityUnit& unit) {
  if (!in.take("(")) return set_once(in, place, "exclusive", unit.exclusive, take_unit(in));
  if (!set_once(in, place, "exclusive", unit.exclusive, take_unit(in))) return false;
  if (in.take(",")) {
    const auto scope = take_one_of(in, {"injob", "alljobs"});
    if (!scope) return false;
    unit.exclusive_scope = *scope;
  }
  return in.expect(")");
}

bool parse_option(Cursor& in, AffinityUnit& unit) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = take_one_of(in, {"same", "exclusive"});
  if (!name || !in.expect("=")) return false;
  if (*name == "same") return set_once(in, begin, *name, unit.same, take_unit(in));
  return parse_exclusive(in, begin, unit);
}

bool parse_options(Cursor& in, AffinityUnit& unit) {
  if (in.take(")")) return true;
  const bool numbered = is_digit(in.peek());
  if (numbered) {
    const auto number = in.whole(1, kMaxTasks, kWholeNumber);
    if (!number) return false;
    unit.number = *number;
  }
  if (!numbered && !parse_option(in, unit)) return false;
  while (in.take(","))
    if (!parse_option(in, unit)) return false;
  return in.expect(")");
}

std::optional<std::string> take_distribution(Cursor& in) {
  auto how = take_one_of(in, {"any", "balance", "pack"});
  if (how != "pack" || !in.take("(")) return how;
  const auto unit = take_unit(in);
  if (!unit || !in.expect("=")) return std::nullopt;
  const auto number = in.whole(1, kMaxTasks, kWholeNumber);
  if (!number || !in.expect(")")) return std::nullopt;
  return "pack(" + *unit + "=" + std::to_string(*number) + ")";
}

bool parse_binding(Cursor& in, Affinity& affinity) {
  in.skip_blanks();
  const std::size_t begin = in.place();
  const auto name = take_one_of(in, {"cpubind", "membind", "distribute"});
  if (!name || !in.expect("=")) return false;
  if (*name == "cpubind") return set_once(in, begin, *name, affinity.cpubind, take_unit(in));
  if (*name == "membind")
    return set_once(in, begin, *name, affinity.membind, take_one_of(in, {"localonly", "localprefer"}));
  return set_once(in, begin, *name, affinity.distribute, take_distribution(in));
}

}  // namespace

bool parse_affinity(Cursor& in, std::optional<Affinity>& affinity) {
  affinity.emplace();
  const auto unit = take_unit(in);
  if (!unit) return false;
  affinity->unit.unit = *unit;
  if (in.take("(") && !parse_options(in, affinity->unit)) return false;
  if (in.take("*")) {
    const auto count = in.whole(1, kMaxTasks, kWholeNumber);
    if (!count) return false;
    affinity->unit.count = *count;
  }
  while (in.take(":"))
    if (!parse_binding(in, *affinity)) return false;
  return true;
}

}  // namespace rollcall::resreq
