# The connections of a daemon (Asio), and its log.
rollcall_library(rollcall_log SOURCES log.cpp)
rollcall_library(rollcall_links SOURCES link.cpp links.cpp dialing.cpp
  LINK rollcall_log rollcall_cluster_channel Threads::Threads)
