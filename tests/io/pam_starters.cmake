rollcall_test(pam_starters_test LABEL io SOURCES pam_starters_test.cpp LINK pam_starters)
