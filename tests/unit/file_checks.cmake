# What is wrong with files that their readers alone cannot see.
rollcall_test(file_checks_test LABEL unit SOURCES file_checks_test.cpp LINK sched_file_checks)
