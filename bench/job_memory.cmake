# What a job costs of mbatchd's memory. As a test only that it runs.
add_executable(bench_job_memory job_memory.cpp)
target_link_libraries(bench_job_memory PRIVATE sched_keeper)
set_target_properties(bench_job_memory PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_job_memory_runs COMMAND bench_job_memory 100)
set_tests_properties(bench_job_memory_runs PROPERTIES LABELS unit TIMEOUT 60)
