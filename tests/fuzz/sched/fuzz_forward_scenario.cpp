// Any text as the remote queues that bsched-query is asked about: what is wrong with it, or choices that keep the rules of
// sched/policy/forward/choice.hpp and can be shown.
#include <cstdint>
#include <set>
#include <string_view>

#include "sched/policy/forward/forward_scenario.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched::forward;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8 * 1024) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  (void)has_remote_queues(text);
  const auto scenario = read_forward_scenario(text, "scenario");
  if (!scenario) {
    require(!scenario.error().text.empty());
    return 0;
  }
  for (const ForwardScenario::Job& job : scenario->jobs) {
    const Choice choice = choose(job.asks, scenario->queues, scenario->settings);
    require(choice.verdicts.size() == scenario->queues.size());
    require(choice.offers.size() <= kMostOffers);
    require(std::set(choice.offers.begin(), choice.offers.end()).size() == choice.offers.size());
    for (const std::size_t offer : choice.offers)
      require(choice.verdicts[offer].tier && scenario->queues[offer].connected);
  }
  require(!choices_text(*scenario).empty());
  return 0;
}
