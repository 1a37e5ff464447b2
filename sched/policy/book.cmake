# mbatchd's memory: the life of one job, dependencies, and the Book of all jobs.
rollcall_library(sched_book
  SOURCES book_words.cpp job_life.cpp job_record.cpp requeue_pause.cpp dependency.cpp dependency_parse.cpp dependency_evaluate.cpp dependency_watch.cpp
          book_rules.cpp job_terms.cpp link_times.cpp submission_check.cpp book.cpp book_memory.cpp book_packed.cpp book_rights.cpp book_tick.cpp book_hosts.cpp
          book_submit.cpp book_orders.cpp book_select.cpp book_requests.cpp book_move.cpp book_control.cpp book_modify.cpp book_modify_fields.cpp
          book_invariant.cpp present_events.cpp request_bounds.cpp
  LINK sched_gpus sched_reservations rollcall_resreq rollcall_conf rollcall_base rollcall_wire)
