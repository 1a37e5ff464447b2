# lsb.events and lsb.acct.
rollcall_test(event_lines_test LABEL unit SOURCES event_lines_test.cpp LINK sched_events)
