# Reading a host: what one sample costs, and what is left of hwloc. As a test only that it runs.
add_executable(bench_load load.cpp)
target_link_libraries(bench_load PRIVATE lim_reader)
set_target_properties(bench_load PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_load_runs COMMAND bench_load 20)
set_tests_properties(bench_load_runs PROPERTIES LABELS io TIMEOUT 60)
