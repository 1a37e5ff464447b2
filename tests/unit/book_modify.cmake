rollcall_test(book_modify_test LABEL unit SOURCES book_modify_test.cpp LINK sched_book)
