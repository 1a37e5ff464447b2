# A shepherd's shell, a piece at a time.
rollcall_test(shepherd_stream_test LABEL io SOURCES shepherd_stream_test.cpp LINK shepherd_shell)
