# mbatchd's memory: the life of one job, dependencies, and the Book of all jobs.
rollcall_library(sched_book
  SOURCES book_words.cpp job_life.cpp dependency.cpp
  LINK rollcall_resreq rollcall_conf rollcall_base rollcall_wire)
