rollcall_test(fair_queue_test LABEL unit SOURCES fair_queue_test.cpp LINK rollcall_base)
