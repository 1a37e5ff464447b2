// Any text as the cluster that bsched-query is asked about: what is wrong with it, or a plan that can be made, shown and
// applied.
#include <cstdint>
#include <string_view>

#include "sched/policy/cycle/scenario.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::cycle;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16 * 1024) return 0;
  auto scenario = read_scenario({reinterpret_cast<const char*>(data), size}, "scenario");
  if (!scenario) {
    require(!scenario.error().text.empty());
    return 0;
  }
  const Plan plan = schedule(scenario->snapshot, scenario->now);
  require(text_of(plan, scenario->snapshot, scenario->now) ==
          text_of(schedule(scenario->snapshot, scenario->now), scenario->snapshot, scenario->now));
  apply(plan, scenario->now, scenario->snapshot);
  (void)pending_text(scenario->snapshot, scenario->now);
  return 0;
}
