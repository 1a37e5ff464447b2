# What lsf_daemons says and believes.
rollcall_library(daemons_policy SOURCES daemon_control.cpp one_host_files.cpp LINK rollcall_base)
