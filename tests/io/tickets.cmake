# Tickets: their conversation, their file, and mbatchd's end of them.
rollcall_test(ticket_channel_test LABEL io SOURCES ticket_channel_test.cpp LINK rollcall_cluster_channel)
rollcall_test(ticket_file_test LABEL io SOURCES ticket_file_test.cpp LINK rollcall_commands)
rollcall_test(mbatchd_tickets_test LABEL io SOURCES mbatchd_tickets_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_commands rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_tickets_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_tickets_test mbatchd)
