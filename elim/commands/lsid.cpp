// lsid and lsclusters: the cluster's name and state. Any LIM answers.
#include "common/io/lim_client.hpp"
#include "elim/commands/commands.hpp"
#include "elim/policy/show/show_identity.hpp"

namespace rollcall::elim {
namespace {

using Value = CommandOption::Value;

io::Answer ask_identity(io::Stage& stage) {
  wire::Request request;
  request.mutable_identity();
  return io::LimClient(stage.files_to_ask()).ask_any(request);
}

// A site may set the first line, since programs look for a product's name in it.
std::string product_of(io::Stage& stage) {
  const std::string& chosen = stage.files_to_ask().programs.commands.product;
  return chosen.empty() ? ROLLCALL_PRODUCT : chosen;
}

int run_lsid(io::Stage& stage, const CommandWords& words) {
  const io::Answer answer = ask_identity(stage);
  if (answer.error) return stage.fail(answer.error->text);
  const auto& identity = answer.reply.identity();
  if (words.has("-json")) return stage.print(show::identity_json(identity, product_of(stage)));
  if (identity.master().empty()) {
    stage.print(product_of(stage) + "\n\nMy cluster name is " + identity.cluster() + "\n");
    return stage.fail("Cannot locate master LIM now, try later");
  }
  return stage.print(show::identity_text(identity, product_of(stage)));
}

int run_lsclusters(io::Stage& stage, const CommandWords& words) {
  const io::Answer answer = ask_identity(stage);
  if (answer.error) return stage.fail(answer.error->text);
  const auto& identity = answer.reply.identity();
  for (const auto& name : words.operands())
    if (name != identity.cluster())
      return stage.fail(name + ": found no such cluster, expected " + identity.cluster());
  if (words.has("-json")) return stage.print(show::clusters_json(identity));
  return stage.print(show::clusters_table(identity, words.has("-w")));
}

}  // namespace

io::Command lsid_command() {
  return {{"lsid", "", {}, CommandShape::Order::anywhere, "Shows the cluster's name and its master host."},
          run_lsid};
}

io::Command lsclusters_command() {
  return {{"lsclusters",
           "[cluster ...]",
           {{"-w", Value::none, "wide: nothing is cut"}, {"-l", Value::none, "the same"}},
           CommandShape::Order::anywhere,
           "Shows the cluster, its master and its hosts."},
          run_lsclusters};
}

}  // namespace rollcall::elim
