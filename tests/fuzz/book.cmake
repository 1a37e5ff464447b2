rollcall_fuzz(fuzz_dependency SOURCE fuzz_dependency.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_dependency LINK sched_book)
