# Files that are whole or not there, and frames between two programs of a host. Small: a shepherd is linked with them.
rollcall_library(rollcall_durable_file SOURCES durable_file.cpp remove_tree.cpp LINK rollcall_base)
rollcall_library(rollcall_frame_socket SOURCES frame_socket.cpp LINK rollcall_wire)
