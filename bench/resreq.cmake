# Resource requirements: what one costs over a cluster of 10,000 hosts. As a test only that the runs do their work.
add_executable(bench_resreq resreq.cpp)
target_link_libraries(bench_resreq PRIVATE rollcall_resreq)
set_target_properties(bench_resreq PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_resreq_runs COMMAND bench_resreq 2)
set_tests_properties(bench_resreq_runs PROPERTIES LABELS unit TIMEOUT 60)
