# The connections of a daemon (Asio), and its log.
rollcall_library(rollcall_log SOURCES log.cpp)
rollcall_library(rollcall_peer_holder SOURCES peer_holder.cpp LINK rollcall_base)
rollcall_library(rollcall_door SOURCES door.cpp LINK rollcall_base Threads::Threads)
rollcall_library(rollcall_links SOURCES link.cpp links.cpp answer_pump.cpp handshake_queue.cpp dialing.cpp
  LINK rollcall_log rollcall_cluster_channel rollcall_door rollcall_peer_holder rollcall_host_lookup rollcall_side_thread Threads::Threads)
