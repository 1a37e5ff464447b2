rollcall_test(civil_time_test LABEL unit SOURCES civil_time_test.cpp LINK rollcall_base)
