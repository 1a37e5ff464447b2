// bhosts: the batch system's hosts and their jobs. bhosts(1).
#include "common/resreq/resreq.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show_batch_hosts.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// A requirement that cannot be meant is shown with the place.
std::optional<wire::BatchReply> ask_hosts(io::Stage& stage, wire::BatchRequest request) {
  auto client = client_of(stage);
  if (!client) return std::nullopt;
  const std::string resreq = request.hosts().resreq();
  auto answer = client->ask(std::move(request));
  if (!answer.error) return std::move(answer.reply);
  const auto& refusal = answer.error->refusal;
  if (refusal.why() == wire::BatchReply::Refusal::BAD_RESREQ)
    stage.fail(resreq::caret_lines(resreq, {refusal.text(), refusal.offset()}));
  else
    failed(stage, *answer.error);
  return std::nullopt;
}

int print_hosts(io::Stage& stage, const CommandWords& words, const BatchHosts& hosts) {
  const std::string standard = setting(stage, "LSB_BHOSTS_FORMAT");
  const bool fields =
      words.has("-o") || words.has("-json") || (!standard.empty() && !words.has("-w") && !words.has("-l"));
  if (fields) {
    const std::string format = words.value("-o").value_or(standard.empty() ? kDefaultHostFields : standard);
    const auto text = batch_hosts_fields(hosts, format, {words.has("-json"), !words.has("-noheader")});
    return text ? stage.print(*text) : stage.fail(text.error().text);
  }
  if (words.has("-l")) return stage.print(batch_hosts_long(hosts));
  std::string text = batch_hosts_table(hosts, words.has("-w"));
  if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
  return stage.print(text);
}

int run_bhosts(io::Stage& stage, const CommandWords& words) {
  if (words.has("-e")) return stage.fail("-e: no host and no resource is exported to another cluster");
  wire::BatchRequest request;
  auto& ask = *request.mutable_hosts();
  ask.set_shared(words.has("-s"));
  ask.set_load(words.has("-l"));
  ask.set_resreq(words.value("-R").value_or(""));
  for (const auto& name : words.operands()) words.has("-s") ? ask.add_resources(name) : ask.add_hosts(name);
  const auto reply = ask_hosts(stage, std::move(request));
  if (!reply) return io::kFailed;
  if (!words.has("-s")) return print_hosts(stage, words, reply->hosts());
  if (reply->shared().rows().empty()) return complain("No shared resources defined");
  return stage.print(shared_rows_table(reply->shared()));
}

}  // namespace

io::Command bhosts_command() {
  return {{"bhosts",
           "[host | host_group ...]",
           {{"-w", Value::none, "wide: nothing is cut, and why a host is closed"},
            {"-l", Value::none, "everything that is known, a block for each host"},
            {"-R", Value::required, "RES_REQ only hosts that fit"},
            {"-s", Value::none, "shared resources; operands are their names"},
            {"-e", Value::none, "what is exported to other clusters"},
            {"-x", Value::none, "hosts that jobs fail on: there is no such record"},
            {"-X", Value::none, "hosts of condensed groups by name: they are always shown so"},
            {"-o", Value::required, "FORMAT these fields: \"host_name:20 status njobs:-5\""},
            {"-noheader", Value::none, "no header line"},
            {"-json", Value::none, "print JSON"}},
           CommandShape::Order::anywhere,
           "Shows the hosts of the batch system, their states and their jobs."},
          run_bhosts,
          {}};
}

}  // namespace rollcall::sched
