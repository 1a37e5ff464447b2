// Jobs: starts under grants of leases, and the numbers of leases that mbatchd names. docs/decisions/0097.
#include "res/daemon/job_here.hpp"
#include "res/policy/lease_orders.hpp"

namespace rollcall::res {

// Else mbatchd is told why not. A repeated order of a job that is here was checked when it came first.
bool Jobs::grants_hold(const wire::JobAttempt& attempt, const Grants& grants, bool waits_for_go) {
  if (grants.empty() || jobs_.contains(directory_name(attempt))) return true;
  LeaseNumbers numbers = directories_.leases();
  GrantCheck check = check_grants(grants, numbers);
  // On disk first: a restarted RES without the number would take a start under an older one.
  if (check.changed)
    if (const auto kept = directories_.set_leases(std::move(numbers)); !kept)
      check.why = "the grant's number cannot be kept: " + kept.error().text;
  if (check.why.empty()) return true;
  log_.warning("job " + job_text(attempt.key()) + " refused: " + check.why);
  FromRes told;
  if (waits_for_go) {
    auto& refused = *told.mutable_not_prepared();
    *refused.mutable_job() = attempt;
    refused.set_why(check.why);
    if (check.newest.lease() != 0) *refused.mutable_newest() = check.newest;
  } else {
    *told.mutable_over() = own_end(attempt, FromRes::JobOver::NOT_STARTED, check.why);
  }
  handler_.tell(told);
  return false;
}

void Jobs::name_grants(const wire::ToRes::NameGrants& order) {
  const auto held = held_under_grants();
  std::set<std::uint64_t> in_use;
  for (const auto& job : held)
    for (const auto& grant : job.grants()) in_use.insert(grant.lease());
  LeaseNumbers numbers = directories_.leases();
  Naming naming = res::name_grants(order, in_use, numbers);
  if (naming.changed)
    if (const auto kept = directories_.set_leases(std::move(numbers)); !kept)
      naming.why_not = "the numbers of leases cannot be kept: " + kept.error().text;
  if (!naming.why_not.empty()) log_.error(naming.why_not);
  FromRes told;
  auto& answer = *told.mutable_grants();
  answer.set_number(order.number());
  answer.set_why_not(naming.why_not);
  put_grants(directories_.leases(), *answer.mutable_newest());
  for (const auto& job : held) *answer.add_jobs() = job;
  handler_.tell(told);
}

// Those whose user is still being looked up, too: they may run soon.
std::vector<FromRes::Held> Jobs::held_under_grants() const {
  std::vector<FromRes::Held> held;
  for (const auto& [name, job] : jobs_)
    if (auto one = held_of(*job); one.grants_size() > 0) held.push_back(std::move(one));
  for (const auto& [name, coming] : coming_)
    if (coming.held.grants_size() > 0) held.push_back(coming.held);
  return held;
}

}  // namespace rollcall::res
