#include "sched/commands/asking.hpp"

#include <cstdio>
#include <cstdlib>

#include "common/base/host_list.hpp"
#include "common/conf/row_reader.hpp"
#include "common/io/local_time.hpp"

namespace rollcall::sched {

using Value = CommandOption::Value;

std::optional<io::BatchClient> client_of(io::Stage& stage) {
  auto client = io::BatchClient::of(stage.files_to_ask());
  if (client) return std::move(*client);
  stage.fail(client.error().text);
  return std::nullopt;
}

int complain(const std::string& line) {
  std::fflush(stdout);
  io::print_error_line(line);
  return io::kFailed;
}

int failed(io::Stage& stage, const io::BatchError& error) {
  return error.kind == io::BatchError::Kind::refused ? complain(error.text) : stage.fail(error.text);
}

std::optional<wire::BatchReply> ask_all(io::Stage& stage, wire::BatchRequest request) {
  auto client = client_of(stage);
  if (!client) return std::nullopt;
  auto answer = client->ask(std::move(request));
  if (!answer.error) return std::move(answer.reply);
  failed(stage, *answer.error);
  return std::nullopt;
}

show::ShowTime show_time() { return {io::wall_now(), io::local_time()}; }

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

std::optional<double> told_speed(io::Stage& stage, io::BatchClient& client, const std::string& name) {
  if (const auto number = conf::parse_real(name)) {
    if (*number > 0) return *number;
  } else if (stage.files().shared.model(name)) {
    return stage.files().cpu_factor(name);
  } else {
    wire::BatchRequest request;
    request.mutable_hosts()->add_hosts(name);
    const auto answer = client.ask(std::move(request));
    const auto& hosts = answer.reply.hosts().hosts();
    if (!answer.error && hosts.size() == 1 && hosts[0].cpu_factor() > 0) return hosts[0].cpu_factor();
  }
  stage.fail("-N: found " + printable(name) + ", expected a host, a host model or a CPU factor above 0");
  return std::nullopt;
}

int print_outcomes(io::Stage& stage, const wire::BatchReply& reply) {
  int status = 0;
  for (const auto& outcome : reply.outcomes().outcomes()) {
    if (outcome.failed())
      status = complain(outcome.text());
    else
      stage.print(outcome.text() + "\n");
  }
  return status;
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
