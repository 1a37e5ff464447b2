# The daemons' log.
rollcall_test(log_test LABEL io SOURCES log_test.cpp LINK rollcall_log rollcall_base TIMEOUT 20)
