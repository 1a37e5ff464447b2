# Who may come again without proving anew who they are.
rollcall_library(sched_tickets SOURCES tickets.cpp LINK rollcall_base)
