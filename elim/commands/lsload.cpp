// lsload: the load of the hosts now. The master answers.
#include "common/io/lim_client.hpp"
#include "elim/commands/borrowed.hpp"
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

// The load of the hosts of ours that are named, or of all where none is; then of the borrowed ones. None: the error was printed.
std::optional<show::Loads> loads_of(io::Stage& stage, const CommandWords& words, const NamedHosts& named) {
  std::optional<show::Loads> loads;
  if (!named.ours.empty() || named.borrowed.empty()) {
    wire::Request request = load_request(stage, words);
    request.mutable_load()->clear_hosts();
    for (const auto& host : named.ours) request.mutable_load()->add_hosts(host);
    const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_master(request);
    if (answer.error) return fail_with(stage, *answer.error, request.load().resreq()), std::nullopt;
    loads = answer.reply.loads();
  }
  if (named.borrowed.empty()) return loads;
  const auto borrowed = borrowed_loads(stage, named.borrowed, words.value("-R").value_or(""));
  if (!borrowed || !loads) return borrowed;
  show::append_loads(*loads, *borrowed);
  return loads;
}

int run_lsload(io::Stage& stage, const CommandWords& words) {
  if (const auto both = contradiction(words)) return stage.fail(*both);
  if (words.has("-i") && !words.has("--watch"))
    return stage.fail("-i: found it alone, expected --watch beside it");
  if (words.has("-s")) return print_shared(stage, words, true);
  const NamedHosts named = named_hosts(words);
  for (const char* const option : {"--watch", "-N", "-n"})
    if (words.has(option) && !named.borrowed.empty()) return not_of_borrowed(stage, option);
  if (words.has("--watch")) return watch(stage, words);
  const auto loads = loads_of(stage, words, named);
  if (!loads) return io::kFailed;
  if (words.has("-json")) return stage.print(show::load_json(*loads, stage.command()));
  const std::string format = words.value("-o").value_or(stage.files_to_ask().programs.commands.lsload_format);
  const bool plain = !words.has("-w") && !words.has("-l") && !words.has("-I");
  const bool chosen = words.has("-o") || (plain && !format.empty());
  show::LoadTable form = load_table_of(words);
  form.age = !named.borrowed.empty();
  const auto text = chosen ? show::load_fields(*loads, format) : show::load_table(*loads, form);
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
