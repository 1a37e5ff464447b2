# The file that says whether a daemon runs.
rollcall_test(running_mark_test LABEL io SOURCES running_mark_test.cpp LINK rollcall_running_mark)
