// Any words after `pam`, given as lines: read or refused in one line; what is rewritten keeps every word.
#include <cstdint>
#include <string>
#include <vector>

#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/launcher_table.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::pam;
using rollcall::fuzz::require;

namespace {

bool one_line(const Error& error) {
  return !error.text.empty() && error.text.find('\n') == std::string::npos;
}

// A word ends at a newline; NUL cannot stand in an argument.
std::vector<std::string> words_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else if (data[i] != 0)
      words.back() += static_cast<char>(data[i]);
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto words = words_of(data, size);
  const auto options = parse_options(words);
  if (!options) {
    require(one_line(options.error()));
    return 0;
  }
  if (options->help || options->version) return 0;
  const Callback callback{"/b/TaskStarter", "h", 1, "/c", "/s", "T"};
  const auto plan = rewrite(*options, callback, {"", "/b/default_pjl_wrapper"});
  if (!plan) {
    require(one_line(plan.error()));
    return 0;
  }
  const std::size_t wrapper = options->mode == Options::Mode::bare ? 1 : 0;
  require(plan->argv.size() == options->command.size() + plan->inserted + wrapper);
  require(!dry_run_text(*plan).empty());
  for (const WordsAre kind : {WordsAre::launcher_only, WordsAre::launcher_then_job})
    if (const auto tasks = tasks_in_words(options->command, kind)) require(*tasks > 0);
  return 0;
}
