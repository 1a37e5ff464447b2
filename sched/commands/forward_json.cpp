#include "sched/commands/forward_json.hpp"

#include <nlohmann/json.hpp>

#include "sched/policy/peers/verdict_rows.hpp"
#include "sched/policy/values/verdict_json.hpp"

namespace rollcall::sched {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const forward::RemoteQueue& queue) { return queue.name.queue + "@" + queue.name.cluster; }

// The queues as the job finds them: with how often it came back from each.
std::vector<forward::RemoteQueue> queues_of(const forward::ForwardScenario& scenario,
                                            const forward::ForwardScenario::Job& job) {
  std::vector<forward::RemoteQueue> queues = scenario.queues;
  for (const auto& [place, returns] : job.returns) queues.at(place).returns = returns;
  return queues;
}

Json job_json(const forward::ForwardScenario& scenario, const forward::ForwardScenario::Job& job) {
  const auto queues = queues_of(scenario, job);
  const forward::Choice choice = forward::choose(job.asks, queues, scenario.settings);
  Json json{{"JOB", job.name}, {"MIN_SLOTS", job.asks.min_slots}, {"MAX_SLOTS", job.asks.max_slots}};
  Json& offers = json["OFFERS"] = Json::array();
  for (const std::size_t place : choice.offers) offers.push_back(name_of(queues.at(place)));
  const auto rows = peers::rows_of(choice, job.asks, queues, scenario.settings);
  const google::protobuf::RepeatedPtrField<wire::ForwardVerdict> listed(rows.begin(), rows.end());
  json["QUEUES"] = Json::parse(verdicts_json(listed));
  return json;
}

}  // namespace

std::string forward_json(const forward::ForwardScenario& scenario, const std::string& job) {
  Json document{{"COMMAND", "bsched-query"}};
  Json& jobs = document["JOBS"] = Json::array();
  for (const auto& each : scenario.jobs)
    if (job.empty() || each.name == job) jobs.push_back(job_json(scenario, each));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace rollcall::sched
