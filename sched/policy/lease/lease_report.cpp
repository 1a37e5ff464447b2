#include "sched/policy/lease/lease_report.hpp"

namespace rollcall::sched::lease {

std::string_view status(const LeaseReport& lease) {
  if (!lease.connected) return "disc";
  switch (lease.phase) {
    case Phase::active:
    case Phase::recalling:
    case Phase::inactive:
      return "ok";
    case Phase::offered:
    case Phase::requested:
    case Phase::returned:
      break;
  }
  return "conn";
}

std::string awaited_reason(int slots, const std::string& provider) {
  if (slots <= 0) return "";
  return std::to_string(slots) + (slots == 1 ? " slot comes" : " slots come") + " when jobs of cluster " +
         provider + " that run there end";
}

}  // namespace rollcall::sched::lease
