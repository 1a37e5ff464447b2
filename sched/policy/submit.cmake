# Options that are kept without effect: bsub and bjobs tell them.
rollcall_library(sched_without_effect SOURCES without_effect.cpp LINK rollcall_wire)
# What bsub and bmod are told, as a submission.
rollcall_library(sched_submit
  SOURCES submit_options.cpp submit_usage.cpp submit_values.cpp submit_apply.cpp submit_script.cpp submission.cpp esub_parameters.cpp awaited_lines.cpp
  LINK sched_without_effect rollcall_conf rollcall_resreq rollcall_wire)
