# How cost grows with jobs and hosts. As a test that it runs, and that counted work is linear; nightly with all sizes.
add_executable(bench_growth growth.cpp)
target_link_libraries(bench_growth PRIVATE sched_answers sched_keeper)
set_target_properties(bench_growth PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_growth_runs COMMAND bench_growth --small --judge)
set_tests_properties(bench_growth_runs PROPERTIES LABELS unit TIMEOUT 60)
