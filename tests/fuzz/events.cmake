rollcall_fuzz(fuzz_event_lines SOURCE fuzz_event_lines.cpp CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/fuzz_event_lines
  LINK sched_event_reader)
