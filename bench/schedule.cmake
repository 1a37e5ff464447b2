# The scheduling cycle over 10,000 hosts and up to 1,000,000 jobs. As a test only that the runs do their work.
add_executable(bench_schedule schedule.cpp)
target_link_libraries(bench_schedule PRIVATE sched_scenario)
set_target_properties(bench_schedule PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_schedule_runs COMMAND bench_schedule --small 1)
set_tests_properties(bench_schedule_runs PROPERTIES LABELS unit TIMEOUT 60)
