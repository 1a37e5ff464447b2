# Under an address-space limit, which a sanitizer's own mappings exceed.
if(NOT ROLLCALL_SANITIZE)
  rollcall_test(memory_reserve_test LABEL io SOURCES memory_reserve_test.cpp LINK rollcall_memory_reserve TIMEOUT 60)
endif()
