#include "sched/policy/values/verdict_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rollcall::sched {
namespace {

using Json = nlohmann::ordered_json;

// Slots that are owed are none, as in the table.
std::int64_t shown(std::int64_t count) { return std::max<std::int64_t>(count, 0); }
Json room(bool limited, int left) { return limited ? Json(shown(left)) : Json(); }

Json figures_json(const wire::ForwardVerdict& row) {
  if (!row.has_figures()) return {};
  const wire::RemoteSlots& slots = row.figures();
  return {{"TOTAL", slots.total()},
          {"AVAILABLE", shown(slots.available())},
          {"RUNNING", shown(slots.running())},
          {"PENDING", shown(slots.pending())},
          {"PREEMPTABLE", shown(slots.preemptable())},
          {"FREE", shown(row.free())},
          {"FREE_BY_PREEMPTION", shown(row.preemptable())},
          {"JOB_ROOM", room(slots.has_job_room(), slots.job_room())},
          {"SLOT_ROOM", room(slots.has_slot_room(), slots.slot_room())},
          {"PRIORITY", row.priority()},
          {"LOWEST_PREEMPTABLE", row.has_lowest_preemptable() ? Json(row.lowest_preemptable()) : Json()},
          {"AGE_S", row.age_s()}};
}

Json verdict_json(const wire::ForwardVerdict& row) {
  return {{"QUEUE", row.queue()},
          {"CLUSTER", row.cluster()},
          {"CONNECTED", row.connected()},
          {"OFFER", row.offer() > 0 ? Json(row.offer()) : Json()},
          {"TIER", row.tier().empty() ? Json() : Json(row.tier())},
          {"WHY", row.why()},
          {"RETURNED", row.returned()},
          {"NUMBERS", figures_json(row)}};
}

}  // namespace

std::string verdicts_json(const google::protobuf::RepeatedPtrField<wire::ForwardVerdict>& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(verdict_json(row));
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rollcall::sched
