# bsub -f with lsrcp, and bmod of jobs that run.
rollcall_test(file_transfers_test LABEL unit SOURCES file_transfers_test.cpp LINK res_policy launch_policy)
rollcall_test(book_limits_test LABEL unit SOURCES book_limits_test.cpp LINK sched_book)
