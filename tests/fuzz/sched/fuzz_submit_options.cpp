// Any words (one on each line) as the command line of bsub and of bmod: one error, or a submission; what it tells an esub
// reads back and changes nothing.
#include <cstdint>
#include <string>
#include <string_view>

#include "sched/policy/submit/esub_parameters.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::submit;
using rollcall::fuzz::lines_of;
using rollcall::fuzz::require;

namespace {

SubmitContext context() {
  SubmitContext surroundings;
  surroundings.now = 1'795'275'000;
  surroundings.environment = {"A=1", "HOME=/h", "B=x,y"};
  surroundings.cwd = "/w";
  return surroundings;
}

void check_bsub(const std::vector<std::string>& words, const SubmitContext& surroundings) {
  const auto line = split_submit_words(words, SubmitForm::bsub);
  if (!line) return require(!line.error().text.empty());
  auto draft = draft_submission(*line, std::nullopt, surroundings);
  if (!draft) return require(!draft.error().text.empty());
  const auto pairs = esub_pairs(esub_parameters(*draft));
  require(static_cast<bool>(pairs));
  const auto job = finish_submission(*draft, surroundings);
  if (!job) return require(!job.error().text.empty());
  require(!job->command().empty() && job->min_slots() <= job->max_slots());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto words = lines_of(text);
  const SubmitContext surroundings = context();
  check_bsub(words, surroundings);
  const auto changes = parse_bmod(words, surroundings);
  require(!changes || (!changes->fields.empty() && !changes->job_words.empty()));
  Draft draft;
  const auto applied = apply_esub_changes(draft, text, surroundings);
  require(applied || !applied.error().text.empty());
  return 0;
}
