rollcall_test(submit_test LABEL unit SOURCES submit_options_test.cpp submit_values_test.cpp submit_script_test.cpp submission_test.cpp esub_parameters_test.cpp LINK sched_submit)
rollcall_test(launch_options_test LABEL unit SOURCES launch_options_test.cpp LINK launch_policy)
