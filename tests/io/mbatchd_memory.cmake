# The memory of mbatchd, and mbatchd without memory.
rollcall_mbatchd_test(mbatchd_memory_test TIMEOUT 180)
