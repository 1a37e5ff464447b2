# What elims write.
rollcall_fuzz(fuzz_load_string SOURCE fuzz_load_string.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_load_string LINK melim_policy)
