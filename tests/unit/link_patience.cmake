rollcall_test(link_patience_test LABEL unit SOURCES link_patience_test.cpp LINK rollcall_base)
