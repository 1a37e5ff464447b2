// bpeek: what a running job has written so far. bpeek(1). Its first host reads it, as the job's user.
#include <utility>

#include "sched/client/peek_output.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/job_arguments.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// The job that is named, or of those that have begun the one that fits and was submitted last. None: the error was printed.
std::optional<client::PeekedJob> find(io::Stage& stage, const CommandWords& words, client::Session& session) {
  wire::JobFilter filter;
  const auto ids = show::take_job_ids(words.operands(), own_job(), filter);
  if (!ids) return complain(ids.error().text), std::nullopt;
  take_job_options(words, filter);
  if (!ids->any)
    for (const auto status : {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN})
      filter.add_statuses(status);
  auto found = client::find_output(session, std::move(filter));
  if (!found) return failed(stage, found.error()), std::nullopt;
  return std::move(*found);
}

// The title stands above what was read, not above a refusal.
int peek(io::Stage& stage, client::Session& session, const wire::JobRecord& job, client::OutputWanted wanted,
         const char* title) {
  bool titled = false;
  const auto print_title = [&] {
    if (!std::exchange(titled, true)) stage.print(title);
  };
  const auto failure = client::peek_output(session, job, wanted, [&](const std::string& bytes) {
    print_title();
    return stage.print_raw(bytes) == 0;
  });
  if (failure) return failed(stage, *failure);
  print_title();
  return 0;
}

int run_bpeek(io::Stage& stage, const CommandWords& words) {
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto found = find(stage, words, *session);
  if (!found) return io::kFailed;
  const bool follow = words.has("-f");
  const int status = peek(stage, *session, found->job, {false, follow}, "<< output from stdout >>\n");
  if (status != 0 || found->asked.error_file().empty() || follow) return status;
  return peek(stage, *session, found->job, {true, false}, "\n<< output from stderr >>\n");
}

}  // namespace

io::Command bpeek_command() {
  auto options = job_options();
  options.push_back({"-f", Value::none, "follow it until the job is over"});
  return {{"bpeek", "[job_id | job_id[index]]", std::move(options), CommandShape::Order::anywhere,
           "Shows what a running job has written so far."},
          run_bpeek,
          {}};
}

}  // namespace rollcall::sched
