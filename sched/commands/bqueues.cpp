// bqueues: the queues and their jobs. bqueues(1).
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/show_queues.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

int run_bqueues(io::Stage& stage, const CommandWords& words) {
  wire::AskQueues ask;
  for (const auto& name : words.operands()) ask.add_queues(name);
  ask.set_user(words.value("-u").value_or(""));
  ask.set_host(words.value("-m").value_or(""));
  ask.set_preemptable(words.has("-l") || words.has("-r"));
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  if (client::user_unknown(*session, ask.user()))
    return complain(ask.user() + ": No such user or user group");
  const auto answer = client::ask_queues(*session, std::move(ask));
  if (!answer) return failed(stage, answer.error());
  const show::Queues& queues = *answer;
  if (queues.queues().empty()) return complain("No queue found");
  const std::string standard = own_or("LSB_BQUEUES_FORMAT", programs(stage).bqueues_format);
  if (words.has("-o") || words.has("-json") ||
      (!standard.empty() && !words.has("-w") && !words.has("-l") && !words.has("-r"))) {
    const std::string format =
        words.value("-o").value_or(standard.empty() ? show::kDefaultQueueFields : standard);
    const auto text = show::queues_fields(queues, format, {words.has("-json"), !words.has("-noheader")});
    return text ? stage.print(*text) : stage.fail(text.error().text);
  }
  if (words.has("-l") || words.has("-r")) return stage.print(show::queues_long(queues));
  std::string text = show::queues_table(queues, words.has("-w"));
  if (words.has("-noheader")) text.erase(0, text.find('\n') + 1);
  return stage.print(text);
}

}  // namespace

io::Command bqueues_command() {
  return {{"bqueues",
           "[queue ...]",
           {{"-w", Value::none, "wide: nothing is cut"},
            {"-l", Value::none, "everything that is known, a block for each queue"},
            {"-r", Value::none, "as -l: no queue has a tree of shares"},
            {"-alloc", Value::none, "slots are counted: they always are"},
            {"-u", Value::required, "USER queues that take jobs of this user or user group"},
            {"-m", Value::required, "HOST queues that use this host"},
            {"-o", Value::required, "FORMAT these fields: \"queue_name:12 status njobs\""},
            {"-noheader", Value::none, "no header line"},
            {"-json", Value::none, "print JSON"}},
           CommandShape::Order::anywhere,
           "Shows the queues, their limits and their jobs."},
          run_bqueues,
          {}};
}

}  // namespace rollcall::sched
