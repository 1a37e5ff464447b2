# What blaunch, lsrun, lsgrun and lsrcp are told.
rollcall_library(launch_policy SOURCES launch_options.cpp copy_options.cpp LINK rollcall_conf)
