# Whether a daemon of this host runs. Small: LIM looks, RES holds.
rollcall_library(rollcall_running_mark SOURCES running_mark.cpp)
