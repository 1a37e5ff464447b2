rollcall_fuzz(fuzz_cluster_channel SOURCE fuzz_cluster_channel.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_cluster_channel LINK rollcall_cluster_channel)
