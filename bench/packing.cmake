# What it costs to keep jobs packed between turns. As a test only that it runs.
add_executable(bench_packing packing.cpp)
target_link_libraries(bench_packing PRIVATE sched_book)
set_target_properties(bench_packing PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_packing_runs COMMAND bench_packing 100)
set_tests_properties(bench_packing_runs PROPERTIES LABELS unit TIMEOUT 60)
