# The memory of mbatchd, and mbatchd without memory.
rollcall_test(mbatchd_memory_test LABEL io SOURCES mbatchd_memory_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_memory_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
if(ROLLCALL_SANITIZE) # its own mappings exceed every limit
  target_compile_definitions(mbatchd_memory_test PRIVATE ROLLCALL_SANITIZED)
endif()
add_dependencies(mbatchd_memory_test mbatchd)
