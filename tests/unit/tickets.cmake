# Who may come again without proving anew who they are.
rollcall_test(tickets_test LABEL unit SOURCES tickets_test.cpp LINK sched_tickets)
