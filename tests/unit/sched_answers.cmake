# What mbatchd says to those who ask.
rollcall_test(sched_answers_test LABEL unit SOURCES sched_answers_test.cpp sched_answers_chosen_test.cpp LINK sched_answers sched_keeper)
