#include "sched/policy/values/verdict_json.hpp"

#include <nlohmann/json.hpp>

namespace rollcall::sched {
namespace {

using Json = nlohmann::ordered_json;

Json figures_json(const wire::ForwardVerdict& row) {
  if (!row.has_figures()) return {};
  const wire::RemoteSlots& slots = row.figures();
  return {{"TOTAL", slots.total()},
          {"AVAILABLE", slots.available()},
          {"RUNNING", slots.running()},
          {"PENDING", slots.pending()},
          {"PREEMPTABLE", slots.preemptable()},
          {"FREE", row.free()},
          {"FREE_BY_PREEMPTION", row.preemptable()},
          {"JOB_ROOM", slots.has_job_room() ? Json(slots.job_room()) : Json()},
          {"SLOT_ROOM", slots.has_slot_room() ? Json(slots.slot_room()) : Json()},
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
