# mbatchd itself, with a LIM, RES's and clients that we play.
rollcall_test(mbatchd_test LABEL io SOURCES mbatchd_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_test mbatchd)
