// Any bytes as a job script: one error that names a line, or a submission that runs these bytes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "sched/policy/submit/submission.hpp"
#include "sched/policy/submit/submit_script.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::submit;
using rollcall::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  require(script_line(text).find('\n') == std::string::npos);
  // bsub -Zs: arguments take no line away.
  if (const auto called = script_with_words(text, {"script", "a b"}))
    require(called->find("set -- 'a b'") != called->npos &&
            std::count(called->begin(), called->end(), '\n') == std::count(text.begin(), text.end(), '\n'));
  const auto lines = bsub_lines(text);
  require(lines ? (lines->empty() || text.find("#BSUB") != text.npos)
                : lines.error().text.starts_with("line "));
  SubmitContext surroundings;
  surroundings.now = 1'795'275'000;
  const auto draft = draft_submission({}, JobScript{text, true}, surroundings);
  if (!draft) {
    require(draft.error().text.starts_with("line "));
    return 0;
  }
  const auto job = finish_submission(*draft, surroundings);
  require(!job || job->script() == text);
  return 0;
}
