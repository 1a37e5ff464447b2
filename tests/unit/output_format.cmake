rollcall_test(output_format_test LABEL unit SOURCES output_format_test.cpp LINK rollcall_base)
