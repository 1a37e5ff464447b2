# LIM: many simulated hosts against a real master, and what one host's LIM costs. As a test only that the runs do their
# work; `bench/lim --build BUILD` measures.
add_executable(lim_hosts lim_hosts.cpp)
target_link_libraries(lim_hosts PRIVATE rollcall_cluster_channel rollcall_wire)
set_target_properties(lim_hosts PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
rollcall_python_test(bench_lim_runs SCRIPT lim LABELS io TIMEOUT 120
                     ARGUMENTS --seconds 1 --hosts 200 --interval 1)
