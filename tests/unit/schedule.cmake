# The scheduling cycle: its rules, what a snapshot keeps, and what holds of every plan.
rollcall_test(schedule_test LABEL unit
  SOURCES schedule_snapshot_test.cpp schedule_rules_test.cpp schedule_wire_test.cpp LINK sched_scenario)
rollcall_property_test(schedule_property_test LABEL unit SOURCES schedule_property_test.cpp LINK sched_scenario)
rollcall_property_test(host_index_test LABEL unit SOURCES host_index_test.cpp LINK sched_scenario)
