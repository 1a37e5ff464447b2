// asking: what the b* commands share: a request to mbatchd, the report of its failure, the options that choose jobs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/io/command.hpp"
#include "sched/client/session.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/show_text.hpp"

namespace rollcall::sched {

// A session with mbatchd; lines for a user who waits go to standard error. None: lsf.conf is invalid, and the error was printed.
std::optional<client::Session> client_of(io::Stage& stage);

// Prints a line on standard error as it is: LSF's own messages come without the command's name. Gives kFailed.
int complain(const std::string& line);
// The answer has no rows: with -json prints `json`, a document without records, else `line`. Gives kFailed.
int complain_of_none(io::Stage& stage, const CommandWords& words, const std::string& json,
                     const std::string& line);
// Prints why there is no answer. Gives kFailed.
int failed(io::Stage& stage, const client::Failure& failure);

// The answer to a question of sched/client, asked in a session of its own. None: the error was printed.
template <class Ask, class Question>
auto ask_all(io::Stage& stage, Ask ask, Question question)
    -> std::optional<typename decltype(ask(std::declval<client::Session&>(),
                                           std::move(question)))::value_type> {
  auto session = client_of(stage);
  if (!session) return std::nullopt;
  auto answer = ask(*session, std::move(question));
  if (answer) return std::move(*answer);
  failed(stage, answer.error());
  return std::nullopt;
}

show::ShowTime show_time();

// -u -q -m -J -g -app -sla -Jd, as most commands about jobs have them.
std::vector<CommandOption> job_options();
void take_job_options(const CommandWords& words, wire::JobFilter& filter);

// The job in which this command runs, as its environment has it.
show::OwnJob own_job();

// The jobs that the words of a command line name, by their ids here: those of other clusters ("12@west") are looked up. None: the error
// was printed.
struct NamedJobs {
  bool all = false, any = false;  // as JobOperands
  bool missing = false;           // one of another cluster is not here: it was said
};
std::optional<NamedJobs> named_jobs(io::Stage& stage, const std::vector<std::string>& words,
                                    wire::JobFilter& filter);

// -N: the CPU factor that CPU times refer to: a number, a model of lsf.shared, or a host. None: the error was printed.
std::optional<double> told_speed(io::Stage& stage, client::Session& session, const std::string& name);

// Prints the outcome for each job, queue or host: successes on standard output. 0, or kFailed if one failed.
int print_outcomes(io::Stage& stage, const wire::BatchReply::Outcomes& outcomes);
// The same of an order that may have failed.
int print_outcomes(io::Stage& stage, const client::Answered<wire::BatchReply::Outcomes>& answer);

// What lsf.conf says to commands.
inline const conf::CommandPrograms& programs(io::Stage& stage) {
  return stage.files_to_ask().programs.commands;
}
// A parameter that the environment may say instead: `variable` of the environment, else `of_site`.
std::string own_or(const char* variable, const std::string& of_site);
bool own_or(const char* variable, bool of_site);

}  // namespace rollcall::sched
