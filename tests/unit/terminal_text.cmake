rollcall_test(terminal_text_test LABEL unit SOURCES terminal_text_test.cpp LINK rollcall_base)
