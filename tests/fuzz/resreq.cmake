rollcall_fuzz(fuzz_resreq SOURCE fuzz_resreq.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_resreq LINK rollcall_resreq)
