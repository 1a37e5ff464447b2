# What is wrong with files that common/conf alone cannot see.
rollcall_library(sched_file_checks SOURCES file_checks.cpp LINK rollcall_resreq rollcall_conf)
