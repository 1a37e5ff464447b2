# What mbatchd's store costs at a site's age, and what forgetting costs. As a test only that it runs.
add_executable(bench_store_history store_history.cpp)
target_link_libraries(bench_store_history PRIVATE rollcall_job_store)
set_target_properties(bench_store_history PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
add_test(NAME bench_store_history_runs COMMAND bench_store_history 300)
set_tests_properties(bench_store_history_runs PROPERTIES LABELS io TIMEOUT 60)
