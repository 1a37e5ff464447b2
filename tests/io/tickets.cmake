# Tickets: their conversation, their file, and mbatchd's end of them.
rollcall_test(ticket_channel_test LABEL io SOURCES ticket_channel_test.cpp LINK rollcall_cluster_channel)
rollcall_test(ticket_file_test LABEL io SOURCES ticket_file_test.cpp LINK rollcall_commands)
rollcall_mbatchd_test(mbatchd_tickets_test TIMEOUT 180 LINK rollcall_commands)
