// bsched-query: what the scheduler would do with a cluster that stands in a file, and what its jobs wait for; or to which queues of
// other clusters it would forward the jobs of a file.
#include "common/io/command.hpp"
#include "common/io/read_file.hpp"
#include "sched/commands/forward_json.hpp"
#include "sched/policy/cycle/scenario.hpp"
#include "sched/policy/cycle/scenario_json.hpp"
#include "sched/policy/forward/forward_scenario.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

std::optional<JobKey> key_of_word(const std::string& word) {
  JobKey key;
  char behind = 0;
  const int found = std::sscanf(word.c_str(), "%d[%d]%c", &key.id, &key.index, &behind);
  return found == 1 || found == 2 ? std::optional(key) : std::nullopt;
}

int show_choices(io::Stage& stage, const std::string& text, const std::string& path,
                 const CommandWords& words) {
  const auto scenario = forward::read_forward_scenario(text, path);
  if (!scenario) return stage.fail(scenario.error().text);
  const std::string job = words.value("--why").value_or("");
  return stage.print(words.has("-json") ? forward_json(*scenario, job)
                                        : forward::choices_text(*scenario, job));
}

int run(io::Stage& stage, const CommandWords& words) {
  if (words.operands().size() != 1)
    return stage.fail("found " + std::to_string(words.operands().size()) + " words, expected one scenario");
  const std::string& path = words.operands().front();
  const auto text = io::read_file(path);
  if (!text) return stage.fail(path + ": " + text.error().message());
  if (forward::has_remote_queues(*text)) return show_choices(stage, *text, path, words);
  auto scenario = cycle::read_scenario(*text, path);
  if (!scenario) return stage.fail(scenario.error().text);

  std::optional<JobKey> key;
  if (const auto job = words.value("--why")) {
    key = key_of_word(*job);
    if (!key) return stage.fail("--why: found " + *job + ", expected ID or ID[INDEX]");
  }
  if (words.has("-json")) return stage.print(cycle::scenario_json(std::move(*scenario), key));
  if (key) return stage.print(cycle::explained(std::move(*scenario), *key));
  const cycle::Plan plan = cycle::schedule(scenario->snapshot, scenario->now);
  cycle::apply(plan, scenario->now, scenario->snapshot);
  return stage.print(cycle::text_of(plan, scenario->snapshot, scenario->now) +
                     cycle::preemptable_text(scenario->snapshot, scenario->now) +
                     cycle::pending_text(scenario->snapshot, scenario->now));
}

}  // namespace
}  // namespace rollcall::sched

int main(int argc, char** argv) {
  using namespace rollcall;
  const CommandShape shape{
      .name = "bsched-query",
      .operands = "scenario",
      .options = {{"--why", CommandOption::Value::required,
                   "JOB what the job waits for, in words to act on; or its remote queues"},
                  {"-json", CommandOption::Value::none, "print JSON"}},
      .summary = "what the scheduler would do with the cluster that the file scenario describes"};
  return io::run_commands("bsched-tools", ROLLCALL_PRODUCT, {{shape, sched::run, {}}}, argc, argv);
}
