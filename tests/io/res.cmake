# RES and its shepherds with real jobs, and an mbatchd of few words.
rollcall_library(res_stage SOURCES res_stage.cpp LINK rollcall_durable_file rollcall_links rollcall_process rollcall_wire GTest::gtest GTest::gmock)
target_compile_definitions(res_stage PUBLIC ROLLCALL_RES="$<TARGET_FILE:res>" ROLLCALL_SHEPHERD="$<TARGET_FILE:shepherd>")
foreach(part cgroup hooks job keep lost start surroundings user)
  rollcall_test(res_${part}_test LABEL io SOURCES res_${part}_test.cpp LINK res_stage TIMEOUT 240)
  add_dependencies(res_${part}_test res shepherd)
endforeach()
rollcall_test(res_stream_test LABEL io SOURCES res_stream_test.cpp res_tasks_test.cpp res_asked_test.cpp res_usage_test.cpp
  LINK res_stage rollcall_batch_clients rollcall_channel rollcall_config TIMEOUT 240)
add_dependencies(res_stream_test res shepherd)
rollcall_test(res_parts_test LABEL io SOURCES res_identities_test.cpp res_directories_test.cpp res_orphans_test.cpp
  remove_tree_test.cpp res_removals_test.cpp LINK res_shell)
target_compile_definitions(res_parts_test PRIVATE ROLLCALL_SHEPHERD="$<TARGET_FILE:shepherd>")
add_dependencies(res_parts_test shepherd)
rollcall_test(res_meter_test LABEL io SOURCES res_meter_test.cpp LINK shepherd_shell)
if(NOT ROLLCALL_FUZZ)
  add_test(NAME daemons_do_not_fork
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/no_fork_test.sh ${CMAKE_CXX_COMPILER} $<TARGET_FILE:res_shell> $<TARGET_FILE:lim_shell>
      $<TARGET_FILE:mbatchd_shell>)
  set_tests_properties(daemons_do_not_fork PROPERTIES LABELS io TIMEOUT 20)
endif()
# Under an address-space limit, which a sanitizer's own mappings exceed.
if(NOT ROLLCALL_SANITIZE)
  rollcall_test(daemon_memory_test LABEL io SOURCES daemon_memory_test.cpp LINK res_stage rollcall_cluster_channel TIMEOUT 120)
  target_compile_definitions(daemon_memory_test PRIVATE ROLLCALL_LIM="$<TARGET_FILE:lim>")
  add_dependencies(daemon_memory_test res lim melim shepherd)
endif()
