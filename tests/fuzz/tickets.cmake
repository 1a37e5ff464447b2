rollcall_fuzz(fuzz_tickets SOURCE fuzz_tickets.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_tickets LINK rollcall_commands)
