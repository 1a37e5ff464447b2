# The lines of lsb.events and lsb.acct.
rollcall_library(sched_events SOURCES event_lines.cpp account_lines.cpp event_fields.cpp event_options.cpp LINK rollcall_base rollcall_wire)
