# Under an address-space limit, which a sanitizer's own mappings exceed.
if(ROLLCALL_SANITIZE)
  rollcall_skipped_test(memory_reserve_test LABEL io REASON "a sanitizer's own mappings exceed every address-space limit")
else()
  rollcall_test(memory_reserve_test LABEL io SOURCES memory_reserve_test.cpp LINK rollcall_memory_reserve TIMEOUT 60)
endif()
