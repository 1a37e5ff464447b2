# lsb.events and lsb.acct.
rollcall_test(event_lines_test LABEL unit SOURCES event_lines_test.cpp event_fields_test.cpp LINK sched_events)
rollcall_test(event_reader_test LABEL unit SOURCES event_reader_test.cpp LINK sched_event_reader)
