// Any words (one on each line) as what bjobs, bkill, bhist and bacct are told of jobs and times: one error, or a filter that
// says what was meant.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sched/policy/show/job_arguments.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::show;
using rollcall::fuzz::lines_of;
using rollcall::fuzz::require;

namespace {

void ask_for_jobs(const std::vector<std::string>& words) {
  wire::JobFilter filter;
  const auto found = take_job_ids(words, {"7", "3", "8"}, filter);
  if (!found)
    return require(!found.error().text.empty() && found.error().text.find('\n') == std::string::npos);
  require(found->any || (filter.keys_size() == 0 && filter.index_lists_size() == 0));
  for (const auto& key : filter.keys())
    require((key.id() > 0 || (key.id() == -1 && filter.of_clusters_size() > 0)) &&
            key.index() >= 0);  // batch.proto
}

void ask_for_times(const std::string& text) {
  const auto span = parse_time_span(text, WallTime{1'795'275'000'000'000}, utc_time);
  if (!span) return require(!span.error().text.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto words = lines_of(text);
  ask_for_jobs(words);
  for (const auto& word : words) ask_for_times(word);
  return 0;
}
