# What root may execute and believe: daemons ask at their start.
rollcall_library(rollcall_root_trust SOURCES root_trust.cpp LINK rollcall_conf rollcall_base)
