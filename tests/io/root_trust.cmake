# What root may believe, on the file system of this host.
rollcall_test(root_trust_test LABEL io SOURCES root_trust_test.cpp LINK rollcall_root_trust rollcall_process)
