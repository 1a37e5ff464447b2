# The system's clock and time zone, for programs that show dates.
rollcall_library(rollcall_local_time SOURCES local_time.cpp LINK rollcall_base)
