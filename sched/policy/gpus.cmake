# What -gpu means, and which devices a job gets.
rollcall_library(sched_gpus SOURCES gpus.cpp LINK rollcall_resreq rollcall_conf rollcall_wire rollcall_base)
