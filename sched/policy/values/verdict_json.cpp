#include "sched/policy/values/verdict_json.hpp"

#include <nlohmann/json.hpp>

#include "sched/policy/values/shown_slots.hpp"

namespace rollcall::sched {
namespace {

using Json = nlohmann::ordered_json;

Json room(bool limited, int left) { return limited ? Json(shown_slots(left)) : Json(); }

Json figures_json(const wire::ForwardVerdict& row) {
  if (!row.has_figures()) return {};
  const wire::RemoteSlots& slots = row.figures();
  return {{"TOTAL", slots.total()},
          {"AVAILABLE", shown_slots(slots.available())},
          {"RUNNING", shown_slots(slots.running())},
          {"PENDING", shown_slots(slots.pending())},
          {"PREEMPTABLE", shown_slots(slots.preemptable())},
          {"FREE", shown_slots(row.free())},
          {"FREE_BY_PREEMPTION", shown_slots(row.preemptable())},
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
