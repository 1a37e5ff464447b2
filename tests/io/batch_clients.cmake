rollcall_test(at_once_test LABEL io SOURCES at_once_test.cpp LINK rollcall_commands)
rollcall_test(batch_client_test LABEL io SOURCES batch_client_test.cpp LINK rollcall_batch_clients)
rollcall_test(batch_tickets_test LABEL io SOURCES batch_tickets_test.cpp LINK rollcall_batch_clients)
rollcall_test(static_host_lookup_test LABEL io
  SOURCES static_host_lookup_test.cpp ${CMAKE_SOURCE_DIR}/common/io/static_host_lookup.cpp LINK rollcall_commands)
rollcall_test(stream_client_test LABEL io SOURCES stream_client_test.cpp LINK rollcall_stream_client)
