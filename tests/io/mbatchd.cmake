# mbatchd itself, with a LIM, RES's and clients that we play.
rollcall_test(mbatchd_test LABEL io SOURCES mbatchd_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_test mbatchd)
# ... and several users.
rollcall_test(mbatchd_users_test LABEL io SOURCES mbatchd_users_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_users_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_users_test mbatchd)
# The event files by themselves, with a real store.
rollcall_test(event_files_test LABEL io SOURCES event_files_test.cpp LINK mbatchd_shell TIMEOUT 120)
# What is repeated, believed, or very much.
rollcall_test(mbatchd_repeat_test LABEL io SOURCES mbatchd_repeat_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_repeat_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_repeat_test mbatchd)
# Started while its files are broken.
rollcall_test(mbatchd_files_test LABEL io SOURCES mbatchd_files_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_files_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd>")
add_dependencies(mbatchd_files_test mbatchd)
# mbatchd with another engine than RES.
add_executable(mbatchd_other_engine ${CMAKE_SOURCE_DIR}/tests/programs/mbatchd_other_engine.cpp)
target_link_libraries(mbatchd_other_engine PRIVATE mbatchd_shell)
rollcall_test(mbatchd_engine_test LABEL io SOURCES mbatchd_engine_test.cpp mbatchd_stage.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire TIMEOUT 180)
target_compile_definitions(mbatchd_engine_test PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:mbatchd_other_engine>")
add_dependencies(mbatchd_engine_test mbatchd_other_engine)
