// lsinfo: the resources, host types and host models of the cluster. Any LIM answers.
#include "common/io/lim_client.hpp"
#include "elim/commands/commands.hpp"
#include "elim/policy/show/show_information.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

int run_lsinfo(io::Stage& stage, const CommandWords& words) {
  wire::Request request;
  request.mutable_resources();
  const io::Answer answer = io::LimClient(stage.files_to_ask()).ask_any(request);
  if (answer.error) return stage.fail(answer.error->text);
  const auto& information = answer.reply.resources();
  if (words.has("-json")) return stage.print(show::information_json(information));

  const bool types = words.has("-t"), models = words.has("-m") || words.has("-M");
  const bool only_resources = words.has("-r") && !types && !models;
  if (!words.operands().empty() || (words.has("-l") && (only_resources || (!types && !models)))) {
    const auto text = show::resources_text(information, words.operands(), words.has("-l"));
    return text ? stage.print(*text) : stage.fail(text.error().text);
  }
  show::InformationParts parts;
  if (words.has("-r") || types || models) parts = {words.has("-r"), types, models, false};
  parts.all_models = words.has("-M") || words.has("-w");
  return stage.print(show::information_text(information, parts));
}

}  // namespace

io::Command lsinfo_command() {
  return {{"lsinfo",
           "[resource ...]",
           {{"-l", Value::none, "everything that is known of the resources"},
            {"-r", Value::none, "resources alone"},
            {"-t", Value::none, "host types alone"},
            {"-m", Value::none, "host models alone"},
            {"-M", Value::none, "host models with their architectures"},
            {"-w", Value::none, "wide: host models with their architectures"}},
           CommandShape::Order::anywhere,
           "Shows what resources, host types and host models the cluster has."},
          run_lsinfo};
}

}  // namespace rollcall::elim
