#include "elim/policy/show/show_admin.hpp"

#include <nlohmann/json.hpp>

#include "elim/policy/show/json_text.hpp"

namespace rollcall::elim::show {
namespace {

using Json = nlohmann::ordered_json;

Json document_of(const std::string& subcommand) {
  return {{"COMMAND", "lsadmin"}, {"SUBCOMMAND", subcommand}};
}

}  // namespace

std::string check_json(const std::string& subcommand, const conf::Problems& problems,
                       const std::vector<std::string>& files) {
  Json document = document_of(subcommand);
  document["ERRORS"] = problems.errors();
  document["WARNINGS"] = problems.warnings();
  document["FILES"] = files;
  auto& list = document["PROBLEMS"] = Json::array();
  for (const auto& problem : problems.all())
    list.push_back({{"KIND", problem.kind == conf::Problem::Kind::warning ? "warning" : "error"},
                    {"FILE", problem.place.file},
                    {"LINE", problem.place.line},
                    {"TEXT", problem.text}});
  return json_text(document);
}

std::string parameters_json(const std::vector<conf::ShownParameter>& parameters) {
  Json document = document_of("showconf");
  auto& list = document["PARAMETERS"] = Json::array();
  for (const auto& parameter : parameters)
    list.push_back({{"NAME", parameter.name}, {"VALUE", parameter.value}, {"WHERE", parameter.where}});
  return json_text(document);
}

std::string outcomes_json(const std::string& subcommand, const std::vector<HostOutcome>& outcomes) {
  Json document = document_of(subcommand);
  document["HOSTS"] = outcomes.size();
  auto& records = document["RECORDS"] = Json::array();
  for (const auto& outcome : outcomes)
    records.push_back({{"HOST_NAME", outcome.host},
                       {"DONE", outcome.trouble.empty()},
                       {"TEXT", outcome.trouble.empty() ? "done" : outcome.trouble}});
  return json_text(document);
}

}  // namespace rollcall::elim::show
