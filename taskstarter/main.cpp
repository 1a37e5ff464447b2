// TaskStarter: starts one task of a parallel job, and answers pam for it.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/io/host_addresses.hpp"
#include "taskstarter/complaint.hpp"
#include "taskstarter/outer.hpp"
#include "taskstarter/policy/options.hpp"
#include "taskstarter/policy/task_life.hpp"

namespace {

using namespace rollcall::taskstarter;

void print(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const char* environment = std::getenv("LSF_TS_OPTIONS");
  const auto options = parse_options(
      words, environment == nullptr ? std::nullopt : std::optional<std::string_view>(environment));
  if (!options) {
    complain(rollcall::io::host_name_here(), options.error().text);
    return kCannotBegin;
  }
  if (options->wanted == Options::Wanted::help) return print(usage_text()), 0;
  if (options->wanted == Options::Wanted::version)
    return print("TaskStarter of Rollcall " ROLLCALL_VERSION "\n"), 0;
  run_task(*options, std::span<char* const>(argv + 1 + options->command_at, argv + argc));
}
