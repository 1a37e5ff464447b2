# The conversations of a cluster's daemons and their clients, and the cluster's key.
rollcall_library(rollcall_cluster_channel
  SOURCES cluster_channel.cpp cluster_key.cpp cluster_keys.cpp hex_file.cpp
  LINK rollcall_wire ${SODIUM_ARCHIVE})
target_include_directories(rollcall_cluster_channel SYSTEM PUBLIC ${SODIUM_INCLUDE_DIRS})
