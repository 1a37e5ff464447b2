rollcall_fuzz(fuzz_channels SOURCE fuzz_channels.cpp CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_channels LINK res_policy)
