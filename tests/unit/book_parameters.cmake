# What lsb.params says to the Book.
rollcall_test(book_parameters_test LABEL unit SOURCES book_parameters_test.cpp LINK sched_book)
rollcall_test(file_ages_test LABEL unit SOURCES file_ages_test.cpp LINK mbatchd_shell)
# What a job has of its queue and of its application profile.
rollcall_test(job_terms_test LABEL unit SOURCES job_terms_test.cpp LINK sched_book)
