// lsload: the load of the hosts now. The master answers.
#include "common/io/lim_client.hpp"
#include "elim/commands/commands.hpp"
#include "elim/commands/load_options.hpp"
#include "elim/commands/load_request.hpp"
#include "elim/commands/watch.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

int watch(io::Stage& stage, const CommandWords& words) {
  const auto interval = interval_of(words, std::chrono::seconds(5));
  if (!interval) return stage.fail("-i: found " + *words.value("-i") + ", expected seconds, at least 0.1");
  Watch picture{load_request(stage, words), load_table_of(words), *interval};
  picture.graphs = true;
  return run_watch(stage, picture);
}

int run_lsload(io::Stage& stage, const CommandWords& words) {
  if (const auto both = contradiction(words)) return stage.fail(*both);
  if (words.has("-i") && !words.has("--watch"))
    return stage.fail("-i: found it alone, expected --watch beside it");
  if (words.has("-s")) return print_shared(stage, words, true);
  if (words.has("--watch")) return watch(stage, words);
  const wire::Request request = load_request(stage, words);
  const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
  if (answer.error) return fail_with(stage, *answer.error, request.load().resreq());
  if (words.has("-json")) return stage.print(show::load_json(answer.reply.loads(), stage.command()));
  const std::string format = words.value("-o").value_or(stage.files_to_ask().programs.commands.lsload_format);
  const bool plain = !words.has("-w") && !words.has("-l") && !words.has("-I");
  const bool chosen = words.has("-o") || (plain && !format.empty());
  const show::LoadTable form = load_table_of(words);
  const auto text =
      chosen ? show::load_fields(answer.reply.loads(), format) : show::load_table(answer.reply.loads(), form);
  if (!text) return stage.fail(text.error().text);
  return !chosen && form.colour ? stage.print_raw(*text) : stage.print(*text);
}

}  // namespace

io::Command lsload_command() {
  auto options = load_options();
  options.push_back({"-s", Value::none, "dynamic shared resources; operands are resource names"});
  options.push_back(
      {"-o", Value::required, "FORMAT these fields: \"host_name:20 status r1m:-6 delimiter=','\""});
  options.push_back({"--watch", Value::none, "draw it again and again, with the history of each index"});
  options.push_back({"-i", Value::required, "SECONDS between two pictures of --watch (5)"});
  return {{"lsload",
           "[host ...]",
           std::move(options),
           CommandShape::Order::anywhere,
           "Shows the load of the hosts, or of those named.",
           {{"-gpu", "lshosts -gpu shows the GPUs of the hosts, bhosts -gpu the jobs on them"},
            {"-gpuload",
             "lsload -I ngpus, or another index of the site's elims, shows what they report of GPUs"}}},
          run_lsload};
}

}  // namespace rollcall::elim
