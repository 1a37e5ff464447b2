rollcall_test(gpus_test LABEL unit SOURCES gpus_test.cpp LINK sched_gpus sched_book sched_submit)
