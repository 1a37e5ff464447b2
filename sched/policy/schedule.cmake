# The scheduling cycle: a snapshot of the cluster in, a plan out.
rollcall_library(sched_schedule
  SOURCES scheduling_rules.cpp snapshot.cpp tally.cpp compiled_demand.cpp working_state.cpp ranking.cpp sieve.cpp host_index.cpp exhausted.cpp placement.cpp
          job_obstacle.cpp suspension.cpp schedule.cpp placed_job.cpp demand_reasons.cpp pending_reasons.cpp
  LINK sched_gpus sched_reservations rollcall_resreq rollcall_conf rollcall_wire rollcall_base)
# Scenarios: a cluster as a text, for bsched-query and the tests.
rollcall_library(sched_scenario SOURCES scenario.cpp scenario_text.cpp LINK sched_schedule)
