# What lsf_daemons says and believes.
rollcall_library(daemons_policy SOURCES daemon_control.cpp LINK rollcall_base)
