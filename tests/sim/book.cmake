# mbatchd's Book, its store and the hosts in one process, with daemons that die.
rollcall_library(book_world SOURCES book_world.cpp LINK sched_book)
rollcall_test(book_sim_test LABEL unit SOURCES book_sim_test.cpp LINK book_world TIMEOUT 300 ${book_seeds})
