# What mbatchd says to those who ask.
rollcall_library(sched_answers
  SOURCES answers.cpp answers_jobs.cpp answers_queues.cpp answers_hosts.cpp answers_information.cpp answers_limits.cpp
  LINK sched_answers_history sched_exceptions sched_book sched_schedule rollcall_resreq rollcall_conf rollcall_wire)
# Which events and finished jobs bhist and bacct ask for: of the store, or of a file.
rollcall_library(sched_answers_history SOURCES answers_history.cpp LINK sched_book rollcall_wire)
