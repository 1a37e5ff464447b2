# Jobs that run longer, shorter or idler than their queue expects.
rollcall_test(job_exceptions_test LABEL unit SOURCES job_exceptions_test.cpp LINK sched_exceptions)
# What the b* commands print.
rollcall_test(sched_show_test LABEL unit SOURCES show_jobs_test.cpp show_job_options_test.cpp show_batch_hosts_test.cpp show_history_test.cpp show_information_batch_test.cpp LINK sched_show sched_submit)
