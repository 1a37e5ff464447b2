# Parts of mbatchd that touch nothing.
rollcall_test(turn_test LABEL unit SOURCES turn_test.cpp LINK mbatchd_shell)
rollcall_test(snapshot_keeper_test LABEL unit SOURCES snapshot_keeper_test.cpp LINK sched_keeper)
rollcall_test(waiters_test LABEL unit SOURCES waiters_test.cpp LINK mbatchd_shell)
rollcall_test(user_groups_test LABEL unit SOURCES user_groups_test.cpp LINK mbatchd_shell)
rollcall_test(present_events_test LABEL unit SOURCES present_events_test.cpp LINK sched_book sched_events)
rollcall_test(res_words_test LABEL unit SOURCES res_words_test.cpp LINK mbatchd_res_words)
rollcall_test(waiting_orders_test LABEL unit SOURCES waiting_orders_test.cpp LINK mbatchd_shell)
