# What blaunch, lsrun and lsgrun are told.
rollcall_library(launch_policy SOURCES launch_options.cpp LINK rollcall_conf)
