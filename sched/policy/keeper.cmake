# The scheduler's snapshot, kept in agreement with the Book and with what LIM says.
rollcall_library(sched_keeper SOURCES snapshot_keeper.cpp LINK sched_schedule sched_book rollcall_wire rollcall_base)
