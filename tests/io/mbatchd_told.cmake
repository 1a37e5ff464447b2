# What mbatchd tells RES beside starts and ends.
rollcall_test(mbatchd_told_test LABEL io SOURCES mbatchd_told_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 120)
target_compile_definitions(mbatchd_told_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_told_test mbatchd)
# How jobs start: orders, go-aheads, hosts that freeze.
rollcall_test(mbatchd_start_test LABEL io SOURCES mbatchd_start_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 120)
target_compile_definitions(mbatchd_start_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_start_test mbatchd)
