// bmod: changes what was asked for a job. bmod(1). Its options are those of bsub (submit_options.hpp).
#include <cstdio>

#include "sched/client/orders.hpp"
#include "sched/client/submit_context.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/submit/submission.hpp"

namespace rollcall::sched {
namespace {

int run_bmod(io::Stage& stage, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "-h") {
      std::fputs("Usage: bmod [options of bsub, or -Xn for their defaults] job_id | job_id[index_list] ...\n",
                 stderr);
      return 0;
    }
    if (word == "-V") return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  }
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto context = client::submit_context(session->files(), session->from_host());
  if (!context) return stage.fail(context.error().text);
  auto changes = submit::parse_bmod(words, *context);
  if (!changes) return stage.fail(changes.error().text);
  wire::ModifyJobs order;
  const auto ids = named_jobs(stage, changes->job_words, *order.mutable_filter());
  if (!ids) return io::kFailed;
  if (!ids->any || ids->all) return stage.fail("found no job, expected the ID of one");
  *order.mutable_changed() = std::move(changes->changed);
  for (const int field : changes->fields) order.add_fields(field);
  order.set_text(changes->text);
  return print_outcomes(stage, client::modify_jobs(*session, std::move(order)));
}

}  // namespace

io::Command bmod_command() {
  return {{"bmod", "job_id ...", {}, CommandShape::Order::anywhere, "Changes what was asked for a job."},
          {},
          run_bmod};
}

}  // namespace rollcall::sched
