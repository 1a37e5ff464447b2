# What main() of every daemon begins with.
rollcall_library(rollcall_daemon_start SOURCES daemon_start.cpp LINK rollcall_log rollcall_root_trust rollcall_base)
