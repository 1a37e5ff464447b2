# What an rusage keeps: for the cycle, and for bmod of a job that has hosts.
rollcall_library(sched_reservations SOURCES reservations.cpp LINK rollcall_resreq rollcall_conf rollcall_wire rollcall_base)
