# The lines of lsb.events and lsb.acct.
rollcall_library(sched_events SOURCES event_lines.cpp account_lines.cpp event_fields.cpp event_options.cpp LINK rollcall_base rollcall_wire)
# Those of a file again, for the commands that are given one.
rollcall_library(sched_event_reader SOURCES event_reader.cpp account_reader.cpp event_words.cpp
  LINK sched_events sched_submit rollcall_base rollcall_wire)
