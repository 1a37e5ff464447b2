# What may hang, outside of the loop: a thread for it; who a client is by MUNGE; whose address a name is.
rollcall_library(rollcall_side_thread SOURCES side_thread.cpp LINK Threads::Threads)
rollcall_library(rollcall_host_claims SOURCES host_claims.cpp LINK rollcall_side_thread rollcall_base)
rollcall_library(rollcall_munge_asker SOURCES munge_asker.cpp LINK rollcall_side_thread rollcall_cluster_channel)
