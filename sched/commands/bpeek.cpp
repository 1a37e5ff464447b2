// bpeek: what a running job has written so far. bpeek(1). Its first host reads it, as the job's user.
#include <chrono>
#include <thread>
#include <utility>

#include "sched/commands/asking.hpp"
#include "sched/commands/job_hosts.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/show_jobs.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

struct Found {
  wire::JobRecord job;
  wire::Submission asked;
};

// The job that is named, or the newest that fits. Nothing where it was said that there is none.
std::optional<Found> find(io::Stage& stage, const CommandWords& words, io::BatchClient& client) {
  wire::BatchRequest request;
  auto& ask = *request.mutable_jobs();
  ask.set_submissions(true);
  const auto ids = show::take_job_ids(words.operands(), *ask.mutable_filter());
  if (!ids) return complain(ids.error().text), std::nullopt;
  take_job_options(words, *ask.mutable_filter());
  if (!ids->any) ask.mutable_filter()->add_statuses(wire::STATUS_RUN);
  std::optional<Found> found;
  std::string unknown;
  show::SubmissionTable submissions;
  const auto error = client.ask(request, [&](wire::BatchReply& part) {
    submissions.take(*part.mutable_jobs());
    for (const auto& id : part.jobs().unknown()) unknown = id;
    for (const auto& job : part.jobs().jobs())
      if (!found || found->job.submit_us() <= job.record().submit_us())
        found = Found{job.record(), submissions.of(job)};
  });
  if (error) return failed(stage, *error), std::nullopt;
  if (!unknown.empty()) return complain("Job <" + unknown + "> is not found"), std::nullopt;
  if (!found) complain("No unfinished job found");
  return found;
}

std::string name_of(const wire::JobRecord& job) { return "Job <" + text(key_of(job.key())) + ">"; }

std::string not_started(const wire::JobRecord& job) { return name_of(job) + " : Not yet started."; }

// Why there is nothing to read of a job that is no longer, or not yet, on a host; "" where it is on one.
std::string why_unreadable(const wire::JobRecord& job) {
  if (pending(job.status())) return not_started(job);
  if (finished(job.status())) return name_of(job) + " : Already finished.";
  return job.hosts_size() == 0 ? name_of(job) + " : has no host" : "";
}

// What mbatchd says of the job now; nothing where it does not answer.
std::optional<wire::JobRecord> record_of(io::BatchClient& client, const wire::JobKey& key) {
  wire::BatchRequest request;
  *request.mutable_jobs()->mutable_filter()->add_keys() = key;
  std::optional<wire::JobRecord> record;
  client.ask(std::move(request), [&](wire::BatchReply& part) {
    for (const auto& job : part.jobs().jobs()) record = job.record();
  });
  return record;
}

// A reader that takes nothing for a while (less(1)) loses its connection to the host: what is missing is asked for again. The
// title stands above what was read, not above a refusal. A host that was lost while its output is followed is tried again until
// it answers, as its job may go on there, or until mbatchd knows the job elsewhere; a rerunnable job may pend in between.
int peek(io::Stage& stage, io::BatchClient& client, Found& found, OutputPart part, const char* title) {
  bool titled = false, outage_told = false, pending_told = false;
  const auto print_title = [&] {
    if (!std::exchange(titled, true)) stage.print(title);
  };
  while (true) {
    const auto from = part.from;
    auto next = part;
    const auto trouble =
        read_output(stage.files_to_ask(), client.settings(), found.job, part, [&](const std::string& bytes) {
          print_title();
          next.from += static_cast<std::int64_t>(bytes.size());
          return stage.print_raw(bytes) == 0;
        });
    if (next.from != part.from) outage_told = false;
    part = next;
    if (!trouble) return print_title(), 0;
    if (trouble->refused) return complain(trouble->text);
    if (part.from != from) continue;
    if (!titled || !part.follow) return stage.fail(trouble->text);
    if (!std::exchange(outage_told, true)) io::print_error_line(trouble->text + ". Please wait ...");
    const auto now = record_of(client, found.job.key());
    if (now && pending(now->status())) {
      if (!std::exchange(pending_told, true)) io::print_error_line(not_started(*now) + " Please wait ...");
    } else if (const auto why = now ? why_unreadable(*now) : ""; !why.empty()) {
      return complain(why);
    } else if (now && now->attempt() != found.job.attempt()) {
      io::print_error_line(name_of(*now) + " was started again on host <" + now->hosts(0).name() + ">");
      found.job = *now;
      part.from = 0;
      pending_told = false;
      continue;
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

int run_bpeek(io::Stage& stage, const CommandWords& words) {
  auto client = client_of(stage);
  if (!client) return io::kFailed;
  auto found = find(stage, words, *client);
  if (!found) return io::kFailed;
  if (const auto why = why_unreadable(found->job); !why.empty()) return complain(why);
  OutputPart what;
  what.follow = words.has("-f");
  const int status = peek(stage, *client, *found, what, "<< output from stdout >>\n");
  if (status != 0 || found->asked.error_file().empty() || words.has("-f")) return status;
  what.errors = true;
  return peek(stage, *client, *found, what, "\n<< output from stderr >>\n");
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
