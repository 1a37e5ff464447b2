# Jobs through mbatchd: bench/batch compares with Slurm; bench_submit is its client of many jobs in one request.
add_executable(bench_submit submit.cpp)
target_link_libraries(bench_submit PRIVATE rollcall_batch_clients rollcall_config)
set_target_properties(bench_submit PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
