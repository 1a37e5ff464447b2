# What mbatchd says to those who ask.
rollcall_test(sched_answers_test LABEL unit SOURCES sched_answers_test.cpp sched_answers_chosen_test.cpp LINK sched_answers sched_keeper)
# Every field of a placement, from the plan to the record, the store, the event files and those who ask.
rollcall_test(placement_fields_test LABEL unit SOURCES placement_fields_test.cpp LINK sched_answers sched_keeper sched_events sched_show)
