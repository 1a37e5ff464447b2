#include "sched/policy/lease/lease_values.hpp"

namespace rollcall::sched::lease {

std::string text(const LeaseId& lease) { return lease.provider + "#" + std::to_string(lease.number); }

std::string text(const GrantNumber& grant) {
  return std::to_string(grant.term) + "." + std::to_string(grant.counter);
}

std::string_view text(Phase phase) {
  switch (phase) {
    case Phase::offered:
      return "offered";
    case Phase::requested:
      return "requested";
    case Phase::active:
      return "active";
    case Phase::recalling:
      return "recalling";
    case Phase::inactive:
      return "inactive";
    case Phase::returned:
      return "returned";
  }
  return "?";
}

}  // namespace rollcall::sched::lease
