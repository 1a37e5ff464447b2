// lsmon: repeats lsload until the user ends it.
#include "common/base/numbers.hpp"
#include "common/io/lim_client.hpp"
#include "elim/commands/borrowed.hpp"
#include "elim/commands/commands.hpp"
#include "elim/commands/load_options.hpp"
#include "elim/commands/watch.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

int run_lsmon(io::Stage& stage, const CommandWords& words) {
  if (const auto both = contradiction(words)) return stage.fail(*both);
  const auto interval = interval_of(words, std::chrono::seconds(10));
  if (!interval) return stage.fail("-i: found " + *words.value("-i") + ", expected seconds, at least 0.1");
  const auto pictures = parse_whole(words.value("-c").value_or("0"), 0, 1'000'000'000);
  if (!pictures) return stage.fail("-c: found " + *words.value("-c") + ", expected a whole number");
  if (!named_hosts(words).borrowed.empty())
    return stage.fail("lsmon is for hosts of this cluster; lsload shows host@cluster");
  Watch watch{load_request(stage, words), load_table_of(words), *interval};
  watch.pictures = *pictures;
  if (words.has("-json")) {
    const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(watch.request);
    return answer.error ? stage.fail(answer.error->text)
                        : stage.print(show::load_json(answer.reply.loads(), stage.command()));
  }
  return run_watch(stage, watch);
}

}  // namespace

io::Command lsmon_command() {
  auto options = load_options();
  options.push_back({"-i", Value::required, "SECONDS between two pictures (10)"});
  options.push_back({"-c", Value::required, "COUNT pictures, then end"});
  return {{"lsmon", "[host ...]", std::move(options), CommandShape::Order::anywhere,
           "Shows the load of the hosts again and again."},
          run_lsmon};
}

}  // namespace rollcall::elim
