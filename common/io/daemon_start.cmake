# What main() of every daemon begins with.
rollcall_library(rollcall_daemon_start SOURCES daemon_start.cpp neighbours.cpp
  LINK rollcall_log rollcall_root_trust rollcall_process rollcall_base Threads::Threads)
