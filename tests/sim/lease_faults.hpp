// Parameters of a LeaseWorld: the kind of lending, how licences are counted, and the fault that is planted.
#pragma once

namespace rollcall::sched::lease {

// A mistake that is made on purpose: the world finds it, or another layer makes it harmless (lease_sim_test.cpp).
enum class Fault {
  none,
  acknowledges_with_unanswered_starts,
  acknowledges_without_uses,
  grant_is_not_stored,
  accepted_start_is_not_stored,
  slots_are_freed_without_settling,
  jobs_of_a_second_master_are_not_heard_of,
  start_beyond_the_grant_is_passed,
  res_takes_an_older_number,
  slots_are_used_before_res_has_reported,
  start_is_passed_before_res_has_reported,
  free_slots_are_not_counted,
  local_start_is_not_stored,
  term_is_not_raised_at_a_restart,
  killed_jobs_count_as_over,
  used_slots_are_not_counted,
  report_of_an_older_term_is_believed,
  res_obeys_an_older_term,
  res_runs_an_ended_attempt_again,
  res_reports_no_jobs,
  res_tells_an_end_that_has_not_come,
  local_jobs_are_not_counted,
  // of licences
  start_beyond_the_instances_is_passed,
  local_instances_are_not_counted,
  lent_instances_are_not_counted,
  reservations_are_taken_as_checked_out,       // of an elim's value
  instances_are_used_before_res_has_reported,  // found too rarely for a test
  // that only a second consumer shows
  slots_of_other_leases_are_not_counted,
  instances_of_other_leases_are_not_counted,
  other_leases_count_as_they_are_to_be,    // without what is still to be taken from them
  slots_that_policies_add_are_not_counted  // while leases follow a changed PER_HOST one by one
};

// The number of licences: none, of a static resource, or what an elim reports.
enum class Licences { none, fixed, reported };

// The kinds of lending.
enum class Lends {
  // to one consumer
  parts,   // any part of each host
  shared,  // all hosts, TYPE=shared
  // to two consumers, by one policy or two
  whole_hosts,     // RES_SELECT
  shared_hosts,    // RES_SELECT, TYPE=shared
  slots_per_host,  // PER_HOST
  shared_slots     // PER_HOST, TYPE=shared: each host to one consumer
};

}  // namespace rollcall::sched::lease
