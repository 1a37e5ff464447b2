// bwait: waits until a condition of jobs holds. bwait(1). And bpost and bread, which refuse.
#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "sched/client/await_job.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

int run_bwait(io::Stage& stage, const CommandWords& words) {
  const auto condition = words.value("-w");
  if (!condition) return stage.fail("found no condition, expected -w 'done(12) && ended(13)'");
  wire::AwaitCondition order;
  order.set_condition(*condition);
  if (const auto limit = words.value("-t")) {
    const auto minutes = parse_whole(*limit, 1, 60 * 24 * 366);
    if (!minutes) return stage.fail("-t: found " + printable(*limit) + ", expected minutes");
    order.set_timeout_s(*minutes * 60LL);
  }
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto failure = client::await_condition(*session, order);
  return failure ? failed(stage, *failure) : 0;
}

int not_there(io::Stage& stage, const CommandWords&) {
  return stage.fail("messages to jobs are not kept by this release");
}

}  // namespace

std::vector<io::Command> waiting_commands() {
  return {{{"bwait",
            "",
            {{"-w", Value::required, "CONDITION as of bsub -w"},
             {"-t", Value::required, "MINUTES how long at the most"},
             {"-r", Value::required, "SECONDS between questions: it is told at once, whatever is said"}},
            CommandShape::Order::anywhere,
            "Waits until a condition of jobs holds."},
           run_bwait,
           {}},
          {{"bpost",
            "job_id",
            {{"-d", Value::required, "TEXT the message"},
             {"-i", Value::required, "INDEX of the box"},
             {"-a", Value::required, "FILE attached"}},
            CommandShape::Order::anywhere,
            "Sends a message to a job."},
           not_there,
           {}},
          {{"bread",
            "job_id",
            {{"-i", Value::required, "INDEX of the box"}},
            CommandShape::Order::anywhere,
            "Reads the messages of a job."},
           not_there,
           {}}};
}

}  // namespace rollcall::sched
