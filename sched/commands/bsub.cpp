// bsub: submits a job. bsub(1).
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "common/io/command.hpp"
#include "common/io/program_place.hpp"
#include "common/io/read_file.hpp"
#include "sched/client/esub_run.hpp"
#include "sched/client/submit.hpp"
#include "sched/client/submit_context.hpp"
#include "sched/commands/commands.hpp"
#include "sched/commands/interactive_job.hpp"
#include "sched/commands/job_waiter.hpp"
#include "sched/policy/submit/submission.hpp"
#include "sched/policy/submit/submit_script.hpp"
#include "sched/policy/values/submit_values.hpp"
#include "sched/policy/values/without_effect.hpp"

namespace rollcall::sched {
namespace {

using client::kMostSubmission;

// One line, or a few with a caret; that nothing was submitted is always said.
int not_submitted(const std::string& text) {
  std::string told = text;
  while (told.ends_with('.') || told.ends_with('\n')) told.pop_back();
  const bool lines = told.find('\n') != told.npos;
  io::print_error_line(told + (lines ? "\n" : ". ") + "Job not submitted.");
  return io::kFailed;
}
int not_submitted(const Error& error) { return not_submitted("bsub: " + error.text); }

bool set(const char* name) { return std::getenv(name) != nullptr; }

client::EsubPlaces esub_places(const conf::ClusterFiles& files, const conf::BatchSettings& batch) {
  const bool both_named = !files.settings.server_dir.empty() && !batch.bin_dir.empty();
  const std::string here = both_named ? "" : io::program_directory();
  const std::string above = here.substr(0, here.rfind('/'));
  return {files.settings.server_dir.empty() ? above + "/etc" : files.settings.server_dir,
          batch.bin_dir.empty() ? here : batch.bin_dir, files.settings.env_dir,
          files.programs.commands.esub_methods};
}

// ---- the script

Result<std::string> read_standard_input() {
  const bool asks = isatty(STDIN_FILENO) == 1;
  std::string text;
  char* line = nullptr;
  std::size_t room = 0;
  while (true) {
    if (asks) std::fputs("bsub> ", stderr);
    const ssize_t length = getline(&line, &room, stdin);
    if (length < 0) break;
    text.append(line, static_cast<std::size_t>(length));
    if (text.size() > kMostSubmission) break;
  }
  std::free(line);
  if (asks) std::fputc('\n', stderr);
  if (text.size() > kMostSubmission)
    return usage_error("standard input: found more than " + std::to_string(kMostSubmission) +
                       " bytes, expected a smaller script");
  return text;
}

// A file that is given as the command and is a script for bsub. It is run by its name if it is executable; else its text
// is run.
std::optional<submit::JobScript> script_file(const std::vector<std::string>& words) {
  const std::string& path = words.front();
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > static_cast<off_t>(kMostSubmission))
    return std::nullopt;
  const auto text = io::read_file(path);
  if (!text || text->find('\0') != text->npos || !submit::has_bsub_lines(*text)) return std::nullopt;
  const bool by_name =
      path.find('/') != path.npos && access(path.c_str(), X_OK) == 0 && text->starts_with("#!");
  return submit::JobScript{*text, !by_name && words.size() == 1};
}

bool has_option(const submit::SplitWords& line, std::string_view name) {
  return std::any_of(line.options.begin(), line.options.end(),
                     [name](const submit::OptionUse& use) { return use.option->name == name; });
}

// The file is copied into the job: it may change later, or no longer be readable.
Result<std::string> spooled(std::string_view option, const std::string& path) {
  auto text = io::read_file(path);
  if (!text) return usage_error(std::string(option) + ": " + path + ": " + text.error().message());
  if (text->size() > kMostSubmission)
    return usage_error(std::string(option) + ": found " + std::to_string(text->size()) + " bytes in " + path +
                       ", expected at most " + std::to_string(kMostSubmission) + " to be copied");
  return *text;
}

// -Zs.
Result<std::optional<submit::JobScript>> spooled_command(const submit::SplitWords& line) {
  if (line.operands.empty()) return usage_error("-Zs: found no command, expected the name of a script");
  auto text = spooled("-Zs", line.operands.front());
  if (!text) return text.error();
  if (text->find('\0') != text->npos)
    return usage_error("-Zs: found a program in " + line.operands.front() + ", expected a script");
  return std::optional(submit::JobScript{std::move(*text), true, true});
}

Result<std::optional<submit::JobScript>> find_script(const submit::SplitWords& line,
                                                     const conf::ClusterFiles& files) {
  if (has_option(line, "-Zs")) return spooled_command(line);
  if (line.operands.empty()) {
    auto text = read_standard_input();
    if (!text) return text.error();
    return std::optional(submit::JobScript{std::move(*text), true});
  }
  if (!files.programs.commands.parses_script_file) return std::optional<submit::JobScript>();
  return script_file(line.operands);
}

// ---- the answer

std::string answer_line(const wire::BatchReply::Accepted& job) {
  return "Job <" + std::to_string(job.id()) + "> is submitted to " +
         (job.default_queue() ? "default queue <" : "queue <") + job.queue() + ">.\n";
}

std::string answer_json(const wire::BatchReply::Accepted& job) {
  const nlohmann::ordered_json document{
      {"JOBID", job.id()}, {"QUEUE", job.queue()}, {"DEFAULT_QUEUE", job.default_queue()}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// A requirement that names what the cluster does not have is shown with the place.
std::string refusal_text(const wire::BatchReply::Refusal& refusal, const std::string& resreq) {
  if (refusal.why() != wire::BatchReply::Refusal::BAD_RESREQ || resreq.empty() ||
      refusal.offset() > resreq.size())
    return refusal.text();
  return resreq::caret_lines(resreq, {refusal.text(), refusal.offset()});
}

// Programs read both streams as one and take LSF's own line alone: a reader at a terminal gets the rest unasked.
bool wants_notices(const submit::Draft& draft) {
  return draft.verbose || (isatty(STDERR_FILENO) == 1 && !set("BSUB_QUIET"));
}

int wait_for(io::Stage& stage, client::Session& session, const wire::Submission& job, std::int32_t id) {
  wire::JobKey key;
  key.set_id(id);
  JobWaiter waiter(session, key, set("BSUB_QUIET"));
  if (job.interactive() != wire::Submission::NONE) return run_interactive(stage, waiter, job);
  const auto ended = waiter.until_over();
  if (!ended) return stage.fail(ended.error().text);
  if (!set("BSUB_QUIET2"))
    waiter.say(ended->killed_pending ? "<<Terminated while pending>>" : "<<Job is finished>>");
  return client::exit_code_of(*ended);
}

int submission_failed(io::Stage& stage, const client::Failure& failure, const std::string& resreq) {
  using Kind = client::Failure::Kind;
  if (failure.kind == Kind::garbled) return stage.fail(failure.text);
  if (failure.kind == Kind::unknown)
    return stage.fail(failure.text + "; whether the job was submitted is not known: see bjobs");
  const std::string text = refusal_text(failure.refusal, resreq);
  return not_submitted(text.empty() ? "bsub: " + failure.text : text);
}

int submit(io::Stage& stage, client::Session& session, const submit::Draft& draft,
           const wire::Submission& job) {
  const bool check_only = set("BSUB_CHK_RESREQ");
  const auto accepted = client::submit(session, {job, check_only, ""});
  if (!accepted) return submission_failed(stage, accepted.error(), job.resreq());
  if (check_only) return stage.print("Resource requirement string is valid.\n");
  if (wants_notices(draft)) {
    for (const auto& line : draft.esub_notices) io::print_error_line("bsub: " + line);
    for (const auto& line : options_without_effect(job)) io::print_error_line("bsub: " + line);
    for (const auto& notice : accepted->notices()) io::print_error_line(notice);
  }

  std::string line = answer_line(*accepted);
  if (draft.json) line = answer_json(*accepted);
  if (draft.id_only) line = std::to_string(accepted->id()) + "\n";
  if (draft.json || draft.id_only || !set("BSUB_QUIET")) stage.print(line);
  return job.waits() || job.interactive() != wire::Submission::NONE
             ? wait_for(stage, session, job, accepted->id())
             : 0;
}

int run_bsub(io::Stage& stage, const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "-V") return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  if (!words.empty() && words.front() == "-h") return std::fputs(submit::submit_usage().c_str(), stderr), 0;
  const auto line = submit::split_submit_words(words, submit::SubmitForm::bsub);
  if (!line) return not_submitted(line.error());
  const auto& files = stage.files_to_ask();
  auto session = client::Session::open(files, io::print_error_line, client::Session::kNoLimit);
  if (!session) return not_submitted(session.error());
  const auto context = client::submit_context(files, session->from_host());
  if (!context) return not_submitted(context.error());
  const auto script = find_script(*line, files);
  if (!script) return not_submitted(script.error());

  auto draft = submit::draft_submission(*line, *script, *context);
  if (!draft) return not_submitted(draft.error());
  if (draft->spool_input) {
    auto text = spooled("-is", draft->job.input_file());
    if (!text) return not_submitted(text.error());
    draft->job.set_spooled_input(std::move(*text));
  }
  const auto esubs = client::run_esubs(*draft, esub_places(files, session->settings()), *context);
  if (!esubs.done) {
    std::fwrite(esubs.output.data(), 1, esubs.output.size(), stderr);
    return not_submitted(esubs.done.error());
  }
  const auto job = submit::finish_submission(*draft, *context);
  if (!job) return not_submitted(job.error());
  if (job->ByteSizeLong() > kMostSubmission)
    return not_submitted("bsub: found a job of " + std::to_string(job->ByteSizeLong()) +
                         " bytes with its script and environment, expected at most " +
                         std::to_string(kMostSubmission));
  return submit(stage, *session, *draft, *job);
}

}  // namespace

io::Command bsub_command() {
  io::Command command;
  command.shape.name = "bsub";
  command.run_raw = run_bsub;
  return command;
}

}  // namespace rollcall::sched
