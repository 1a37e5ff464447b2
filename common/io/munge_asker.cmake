#Who a client is by MUNGE, asked outside of the loop.
rollcall_library(rollcall_munge_asker SOURCES munge_asker.cpp LINK rollcall_cluster_channel Threads::Threads)
