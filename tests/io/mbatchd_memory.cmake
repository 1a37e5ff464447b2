# The memory of mbatchd, and mbatchd without memory.
rollcall_mbatchd_test(mbatchd_memory_test TIMEOUT 180)
add_executable(mbatchd_without_memory ${CMAKE_SOURCE_DIR}/sched/mbatchd/main.cpp ${CMAKE_SOURCE_DIR}/tests/programs/mbatchd_without_memory.cpp)
target_compile_definitions(mbatchd_without_memory PRIVATE ROLLCALL_VERSION="${PROJECT_VERSION}")
target_link_libraries(mbatchd_without_memory PRIVATE mbatchd_shell)
rollcall_mbatchd_test(mbatchd_no_memory_test PROGRAM mbatchd_without_memory TIMEOUT 180)
