// The values do not depend on how an elim's output is cut into reads; an elim's life stays sound under any events.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "elim/policy/melim/elim_life.hpp"
#include "elim/policy/melim/line_cutter.hpp"
#include "elim/policy/melim/load_string.hpp"

namespace rollcall::melim {
namespace {

struct Heard {
  std::vector<Reading> readings;
  std::size_t refused = 0;
  std::vector<std::string> faults;
  friend bool operator==(const Heard&, const Heard&) = default;
};

std::ostream& operator<<(std::ostream& out, const Heard& heard) {
  return out << heard.readings.size() << " readings, " << heard.refused << " refused, " << heard.faults.size()
             << " faults";
}

void hear(LineCutter& cutter, std::string_view bytes, Heard& heard) {
  static const ElimNames names(
      {{"a"}, {"b"}, {"word", ResourceType::string}, {"tmp", ResourceType::numeric, true, 10.0}});
  cutter.feed(bytes, [&](std::string_view line, LineCutter::Kind kind) {
    LoadString said = kind == LineCutter::Kind::whole ? read_load_string(line, names) : refuse_long_line();
    heard.refused += said.refused ? 1 : 0;
    for (auto& reading : said.readings) heard.readings.push_back(std::move(reading));
    for (auto& fault : said.faults) heard.faults.push_back(fault.text);
  });
}

// Valid and invalid strings made of words, and any bytes.
std::string any_stream() {
  static const std::vector<std::string> words{
      "0", "1",  "2",  "a",    "b",  "word", "tmp", "5",    "1e400", "nan",    " ",       " ",
      " ", "\n", "\n", "\r\n", "\t", "-3",   "cpu", "\xff", "x",     "7.5e-3", "1 a 5\n", "2 a 1 word ok\n"};
  const auto picked = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words));
  std::string stream = *rc::gen::arbitrary<std::string>();
  for (const auto& word : picked) stream += word;
  return stream;
}

RC_GTEST_PROP(LoadStringStream, AnyCuttingGivesTheSameValues, ()) {
  const std::string stream = any_stream();
  const std::size_t limit = *rc::gen::element<std::size_t>(5, 20, kLineLimit);
  Heard whole;
  LineCutter at_once(limit);
  hear(at_once, stream, whole);

  Heard pieces;
  LineCutter cutter(limit);
  for (std::string_view rest = stream; !rest.empty();) {
    const auto size = std::min(*rc::gen::inRange<std::size_t>(1, 8), rest.size());
    hear(cutter, rest.substr(0, size), pieces);
    RC_ASSERT(cutter.rest().size() <= limit);
    rest.remove_prefix(size);
  }
  RC_ASSERT(pieces == whole);
  RC_ASSERT(cutter.in_line() == at_once.in_line());
}

RC_GTEST_PROP(LoadStringStream, ReadsEveryStringOfNumbers, ()) {
  const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-1'000'000, 1'000'000));
  std::string line = std::to_string(values.size());
  for (const int value : values) line += " a " + std::to_string(value);
  Heard heard;
  LineCutter cutter(1 << 20);
  hear(cutter, line + "\n", heard);
  RC_ASSERT(heard.faults.empty());
  RC_ASSERT(heard.readings.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    RC_ASSERT(std::get<float>(heard.readings[i].value) == static_cast<float>(values[i]));
}

Event any_event() {
  switch (*rc::gen::inRange(0, 11)) {
    case 0:
      return StringBegun{};
    case 1:
      return StringRead{};
    case 2:
      return StringRefused{};
    case 3:
      return Flooded{};
    case 4:
      return StartFailed{"x"};
    case 5:
      return Ended{*rc::gen::element(ExitStatus::exited(0), ExitStatus::exited(99), ExitStatus::signaled(9))};
    case 6:
      return Gone{};
    case 7:
      return Ordered{ElimRules{.most_restarts = 3}, *rc::gen::arbitrary<bool>()};
    case 8:
      return FileChanged{};
    case 9:
      return *rc::gen::weightedElement<Event>({{1, Retired{}}, {9, StringRead{}}});
    default:
      return TimePassed{};
  }
}

RC_GTEST_PROP(ElimLifeProperty, AnyOrderOfEventsIsSoundAndStartsOnlyWhatIsGone, ()) {
  Life life(ElimRules{.most_restarts = 3}, TimePoint{});
  TimePoint now{};
  bool alive = false;
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) {
    now = now + std::chrono::milliseconds(*rc::gen::element(0, 1, 3000, 90'000));
    const Event event = any_event();
    // Only a running elim causes events.
    const bool of_the_elim = std::holds_alternative<Ended>(event) || std::holds_alternative<Gone>(event) ||
                             std::holds_alternative<StartFailed>(event);
    if (of_the_elim && !alive) continue;
    if (std::holds_alternative<Gone>(event)) alive = false;
    for (const Effect& effect : step(life, event, now)) {
      if (std::holds_alternative<Start>(effect)) {
        RC_ASSERT(!alive);
        alive = true;
      }
      if (std::holds_alternative<End>(effect)) RC_ASSERT(alive);
    }
    RC_ASSERT(broken_invariant(life) == "");
    const bool lives = life.phase == Phase::running || life.phase == Phase::ending;
    RC_ASSERT(lives == alive);
  }
}

}  // namespace
}  // namespace rollcall::melim
