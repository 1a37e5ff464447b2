# What is left of a set of files whose rows have errors.
rollcall_test(left_out_test LABEL unit SOURCES left_out_test.cpp LINK rollcall_conf)
