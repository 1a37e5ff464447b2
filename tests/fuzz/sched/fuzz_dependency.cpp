// Dependency expressions as users write them: no crash, and what is printed is read again as the same.
#include <cstdint>
#include <cstdlib>

#include "sched/policy/jobs/dependency.hpp"

using namespace rollcall::sched;
using namespace rollcall::sched::jobs;

namespace {
class Nothing : public JobFacts {
  const JobTally* tally(std::int32_t id) const override { return id % 2 == 0 ? &tally_ : nullptr; }
  const Job* find(JobKey) const override { return nullptr; }
  JobTally tally_;
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = Dependency::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  const std::string text = parsed->text();
  const auto again = Dependency::parse_bound(text);
  if (!again || again->text() != text) std::abort();
  evaluate(*parsed, 1, Nothing());
  const auto bound =
      parsed->bound([](std::string_view name) { return std::vector<std::int32_t>(name.size() % 4, 12); },
                    [](std::int32_t) { return true; });
  if (bound && !Dependency::parse_bound(bound->text())) std::abort();
  return 0;
}
