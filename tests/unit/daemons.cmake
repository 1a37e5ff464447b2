# What lsf_daemons believes and says.
rollcall_test(daemon_control_test LABEL unit SOURCES daemon_control_test.cpp LINK daemons_policy)
rollcall_test(one_host_files_test LABEL unit SOURCES one_host_files_test.cpp LINK daemons_policy rollcall_conf)
rollcall_test(restart_pauses_test LABEL unit SOURCES restart_pauses_test.cpp LINK rollcall_base)
