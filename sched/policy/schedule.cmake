# The scheduling cycle: a snapshot of the cluster in, a plan out.
rollcall_library(sched_schedule
  SOURCES scheduling_rules.cpp snapshot.cpp tally.cpp compiled_demand.cpp
  LINK rollcall_resreq rollcall_conf rollcall_wire rollcall_base)
