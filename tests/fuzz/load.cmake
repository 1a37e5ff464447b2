rollcall_fuzz(fuzz_proc_texts SOURCE fuzz_proc_texts.cpp
  CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_proc_texts LINK load_policy)
