#include "sched/commands/asking.hpp"

#include <cstdio>
#include <cstdlib>

#include "common/base/host_list.hpp"
#include "common/base/job_numbers.hpp"
#include "common/conf/row_reader.hpp"
#include "common/io/local_time.hpp"
#include "sched/client/questions.hpp"

namespace rollcall::sched {

using Value = CommandOption::Value;

std::optional<client::Session> client_of(io::Stage& stage) {
  auto session = client::Session::open(stage.files_to_ask(), io::print_error_line);
  if (session) return std::move(*session);
  stage.fail(session.error().text);
  return std::nullopt;
}

int complain(const std::string& line) {
  std::fflush(stdout);
  io::print_error_line(line);
  return io::kFailed;
}

int complain_of_none(io::Stage& stage, const CommandWords& words, const std::string& json,
                     const std::string& line) {
  if (!words.has("-json")) return complain(line);
  stage.print(json);
  return io::kFailed;
}

int failed(io::Stage& stage, const client::Failure& failure) {
  return stands_alone(failure) ? complain(failure.text) : stage.fail(failure.text);
}

show::ShowTime show_time() { return {io::wall_now(), io::local_time()}; }

show::OwnJob own_job() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return {variable("LSB_JOBID"), variable("LSB_JOBINDEX"), variable(kLocalJobId)};
}

std::optional<NamedJobs> named_jobs(io::Stage& stage, const std::vector<std::string>& words,
                                    wire::JobFilter& filter) {
  const auto ids = show::take_job_ids(words, own_job(), filter);
  if (!ids) return complain(ids.error().text), std::nullopt;
  if (filter.of_clusters_size() == 0) return NamedJobs{ids->all, ids->any, false};
  auto session = client_of(stage);
  if (!session) return std::nullopt;
  const auto unknown = client::find_jobs_of_clusters(*session, filter);
  if (!unknown) return failed(stage, unknown.error()), std::nullopt;
  for (const auto& id : *unknown) complain("Job <" + id + "> is not found");
  if (!ids->all && filter.keys_size() == 0 && filter.index_lists_size() == 0) return std::nullopt;
  return NamedJobs{ids->all, ids->any, !unknown->empty()};
}

std::vector<CommandOption> job_options() {
  return {{"-u", Value::required, "USER jobs of this user or user group; all: everybody's"},
          {"-q", Value::required, "QUEUE jobs of this queue"},
          {"-m", Value::required, "HOST jobs on this host or host group"},
          {"-J", Value::required, "NAME jobs of this name, which may have a *"},
          {"-g", Value::required, "GROUP jobs of this job group"},
          {"-app", Value::required, "PROFILE jobs of this application profile"},
          {"-sla", Value::required, "CLASS jobs of this service class"},
          {"-Jd", Value::required, "TEXT jobs with this description, which may have a *"}};
}

void take_job_options(const CommandWords& words, wire::JobFilter& filter) {
  filter.set_user(words.value("-u").value_or(""));
  filter.set_queue(words.value("-q").value_or(""));
  filter.set_host(words.value("-m").value_or(""));
  filter.set_job_name(words.value("-J").value_or(""));
  filter.set_job_group(words.value("-g").value_or(""));
  filter.set_application(words.value("-app").value_or(""));
  filter.set_service_class(words.value("-sla").value_or(""));
  filter.set_description(words.value("-Jd").value_or(""));
}

std::optional<double> told_speed(io::Stage& stage, client::Session& session, const std::string& name) {
  if (const auto number = conf::parse_real(name)) {
    if (*number > 0) return *number;
  } else if (stage.files().shared.model(name)) {
    return stage.files().cpu_factor(name);
  } else {
    wire::AskBatchHosts question;
    question.add_hosts(name);
    const auto answer = client::ask_hosts(session, std::move(question));
    if (answer && answer->hosts_size() == 1 && answer->hosts(0).cpu_factor() > 0)
      return answer->hosts(0).cpu_factor();
  }
  stage.fail("-N: found " + printable(name) + ", expected a host, a host model or a CPU factor above 0");
  return std::nullopt;
}

int print_outcomes(io::Stage& stage, const wire::BatchReply::Outcomes& outcomes) {
  int status = 0;
  for (const auto& outcome : outcomes.outcomes()) {
    if (outcome.failed())
      status = complain(outcome.text());
    else
      stage.print(outcome.text() + "\n");
  }
  return status;
}

int print_outcomes(io::Stage& stage, const client::Answered<wire::BatchReply::Outcomes>& answer) {
  return answer ? print_outcomes(stage, *answer) : failed(stage, answer.error());
}

std::string own_or(const char* variable, const std::string& of_site) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : of_site;
}

bool own_or(const char* variable, bool of_site) {
  const char* value = std::getenv(variable);
  return value != nullptr ? conf::parse_yes_no(value).value_or(false) : of_site;
}

}  // namespace rollcall::sched
