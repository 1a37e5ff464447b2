# The lines of lsb.events and lsb.acct.
rollcall_library(sched_events SOURCES event_lines.cpp event_options.cpp LINK rollcall_base rollcall_wire)
