# Many TaskStarters over one connection: its pieces, and who is joined to whom.
rollcall_test(channels_test LABEL unit SOURCES channels_test.cpp LINK rollcall_wire)
rollcall_test(relay_test LABEL unit SOURCES relay_test.cpp LINK res_policy)
