# What daemons, MELIM and clients' LIM say to one another.
rollcall_fuzz(fuzz_load_messages SOURCE fuzz_load_messages.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_load_messages LINK lim_policy show_policy)
