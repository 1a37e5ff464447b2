#include "sched/commands/forward_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sched/policy/forward/verdict_text.hpp"

namespace rollcall::sched {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const forward::RemoteQueue& queue) { return queue.name.queue + "@" + queue.name.cluster; }
Json number(const std::optional<int>& value) { return value ? Json(*value) : Json(); }
// Slots that are owed are none, as in the table.
std::int64_t shown(std::int64_t count) { return std::max<std::int64_t>(count, 0); }
Json room(const std::optional<int>& left) { return left ? Json(shown(*left)) : Json(); }

// null: no update has come yet.
Json figures_json(const forward::RemoteQueue& queue, const forward::Verdict& verdict) {
  if (!queue.figures) return {};
  const forward::Slots& slots = queue.figures->slots;
  return {{"TOTAL", slots.total},
          {"AVAILABLE", shown(slots.available)},
          {"RUNNING", shown(slots.running)},
          {"PENDING", shown(slots.pending)},
          {"PREEMPTABLE", shown(slots.preemptable)},
          {"FREE", shown(verdict.free)},
          {"FREE_BY_PREEMPTION", shown(verdict.preemptable)},
          {"JOB_ROOM", room(queue.figures->job_room)},
          {"SLOT_ROOM", room(queue.figures->slot_room)},
          {"PRIORITY", queue.priority},
          {"LOWEST_PREEMPTABLE", number(queue.lowest_preemptable)},
          {"AGE_S", std::chrono::duration_cast<std::chrono::seconds>(queue.age).count()}};
}

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
  Json& rows = json["QUEUES"] = Json::array();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const forward::Verdict& verdict = choice.verdicts.at(i);
    rows.push_back({{"QUEUE", queues[i].name.queue},
                    {"CLUSTER", queues[i].name.cluster},
                    {"CONNECTED", queues[i].connected},
                    {"OFFER", verdict.place > 0 ? Json(verdict.place) : Json()},
                    {"TIER", verdict.tier ? Json(forward::text(*verdict.tier)) : Json()},
                    {"WHY", forward::words_of(verdict, job.asks, queues[i], scenario.settings)},
                    {"RETURNED", queues[i].returns.times},
                    {"NUMBERS", figures_json(queues[i], verdict)}});
  }
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
