rollcall_test(job_life_test LABEL unit SOURCES job_life_test.cpp LINK sched_book)
