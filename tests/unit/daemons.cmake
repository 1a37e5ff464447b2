# What lsf_daemons believes and says.
rollcall_test(daemon_control_test LABEL unit SOURCES daemon_control_test.cpp LINK daemons_policy)
