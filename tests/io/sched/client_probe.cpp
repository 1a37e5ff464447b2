#include "tests/io/sched/client_probe.h"

#include <cstring>
#include <string>

#include "sched/client/questions.hpp"
#include "sched/client/submit.hpp"
#include "sched/client/submit_context.hpp"
#include "sched/policy/submit/submission.hpp"

using namespace rollcall;

namespace {

std::string last_error;

int fail(std::string text) {
  last_error = std::move(text);
  return -1;
}

// The configuration must outlive the session.
struct Open {
  conf::ClusterFiles files;
  std::optional<client::Session> session;
};
bool open(Open& made) {
  last_error.clear();
  auto files = client::read_configuration();
  if (!files) return fail(files.error().text), false;
  made.files = std::move(*files);
  auto session = client::Session::open(made.files, {}, 1);
  if (!session) return fail(session.error().text), false;
  made.session.emplace(std::move(*session));
  return true;
}

Result<wire::Submission> made_of(const client::Session& session, const char* command) {
  const auto line = sched::submit::split_submit_words({command}, sched::submit::SubmitForm::bsub);
  if (!line) return line.error();
  const auto context = client::submit_context(session.files(), session.from_host());
  if (!context) return context.error();
  const auto draft = sched::submit::draft_submission(*line, {}, *context);
  if (!draft) return draft.error();
  return sched::submit::finish_submission(*draft, *context);
}

}  // namespace

int probe_submit(const char* command) {
  Open mbatchd;
  if (!open(mbatchd)) return -1;
  auto job = made_of(*mbatchd.session, command);
  if (!job) return fail(job.error().text);
  const auto accepted = client::submit(*mbatchd.session, {std::move(*job), false, ""});
  return accepted ? accepted->id() : fail(accepted.error().text);
}

int probe_list(char* text, unsigned long room) {
  Open mbatchd;
  if (!open(mbatchd)) return -1;
  std::string lines;
  int jobs = 0;
  wire::AskJobs question;
  question.set_submissions(true);
  const auto failure = client::ask_jobs(
      *mbatchd.session, std::move(question), {[&](const auto& job, const wire::Submission& asked) {
        ++jobs;
        lines += std::to_string(job.record().key().id()) + " " + asked.job_name() + "\n";
      }});
  if (failure) return fail(failure->text);
  std::strncpy(text, lines.c_str(), room);
  if (room > 0) text[room - 1] = '\0';
  return jobs;
}

const char* probe_error(void) { return last_error.c_str(); }
