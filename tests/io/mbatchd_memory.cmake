# The memory of mbatchd, and mbatchd without memory.
rollcall_mbatchd_test(mbatchd_memory_test TIMEOUT 180)
if(ROLLCALL_SANITIZE) # its own mappings exceed every limit
  target_compile_definitions(mbatchd_memory_test PRIVATE ROLLCALL_SANITIZED)
endif()
