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

}  // namespace rollcall::sched::lease
