rollcall_test(job_life_test LABEL unit SOURCES job_life_test.cpp job_life_ends_test.cpp LINK sched_book)
rollcall_test(dependency_test LABEL unit SOURCES dependency_test.cpp dependency_watch_test.cpp LINK sched_book)
rollcall_test(book_test LABEL unit
  SOURCES book_submit_test.cpp book_requests_test.cpp book_time_test.cpp book_hosts_test.cpp book_start_test.cpp book_token_test.cpp book_select_test.cpp book_payload_test.cpp book_packed_test.cpp heap_room_test.cpp book_bounds_test.cpp request_bounds_test.cpp
  LINK sched_book)
rollcall_property_test(book_property_test LABEL unit SOURCES book_property_test.cpp LINK sched_book)
rollcall_test(requeue_pause_test LABEL unit SOURCES requeue_pause_test.cpp LINK sched_keeper)
