# A shepherd's shell, a piece at a time.
rollcall_test(res_bounds_test LABEL io SOURCES res_bounds_test.cpp
  LINK res_stage rollcall_batch_clients rollcall_channel rollcall_config TIMEOUT 240)
add_dependencies(res_bounds_test res shepherd)
rollcall_test(res_notes_test LABEL io SOURCES res_notes_test.cpp LINK res_shell)
rollcall_test(shepherd_stream_test LABEL io SOURCES shepherd_stream_test.cpp shepherd_limits_test.cpp LINK shepherd_shell)
