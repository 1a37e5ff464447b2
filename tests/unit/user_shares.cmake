rollcall_test(user_shares_test LABEL unit SOURCES user_shares_test.cpp LINK rollcall_base)
