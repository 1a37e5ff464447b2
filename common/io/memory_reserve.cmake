# Memory that a daemon keeps back.
rollcall_library(rollcall_memory_reserve SOURCES memory_reserve.cpp)
