# Terminals and pipes joined to processes on other hosts.
rollcall_library(rollcall_stream_client SOURCES stream_client.cpp own_terminal.cpp repeated_dial.cpp LINK rollcall_commands rollcall_channel rollcall_wire)
