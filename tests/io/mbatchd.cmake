# mbatchd itself, with a LIM, RES's and clients that we play.
rollcall_library(mbatchd_stage SOURCES mbatchd_stage.cpp mbatchd_stage_talk.cpp mbatchd_stage_res.cpp
  LINK rollcall_links rollcall_cluster_channel rollcall_process rollcall_wire GTest::gtest GTest::gmock)
rollcall_quick_build(mbatchd_stage)

# rollcall_mbatchd_test(NAME TIMEOUT s [PROGRAM target] [LINK libs...]): NAME.cpp on that stage. PROGRAM is what it runs, mbatchd by default.
function(rollcall_mbatchd_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT;PROGRAM" "LINK" ${ARGN})
  if(NOT ARG_PROGRAM)
    set(ARG_PROGRAM mbatchd)
  endif()
  rollcall_test(${name} LABEL io SOURCES ${name}.cpp mbatchd_program.cpp LINK mbatchd_stage ${ARG_LINK} TIMEOUT ${ARG_TIMEOUT})
  target_compile_definitions(${name} PRIVATE ROLLCALL_MBATCHD="$<TARGET_FILE:${ARG_PROGRAM}>")
  add_dependencies(${name} ${ARG_PROGRAM})
endfunction()

rollcall_mbatchd_test(mbatchd_test TIMEOUT 180)
# ... and several users.
rollcall_mbatchd_test(mbatchd_users_test TIMEOUT 180)
# The event files by themselves, with a real store.
rollcall_test(forgetting_test LABEL io SOURCES forgetting_test.cpp LINK mbatchd_shell TIMEOUT 120)
rollcall_test(event_files_test LABEL io SOURCES event_files_test.cpp LINK mbatchd_shell TIMEOUT 120)
# What is repeated, believed, or very much.
rollcall_mbatchd_test(mbatchd_repeat_test TIMEOUT 180)
# Started while its files are broken.
rollcall_mbatchd_test(mbatchd_files_test TIMEOUT 180)
# mbatchd with another engine than RES.
add_executable(mbatchd_other_engine ${CMAKE_SOURCE_DIR}/tests/programs/mbatchd_other_engine.cpp)
target_link_libraries(mbatchd_other_engine PRIVATE mbatchd_shell)
rollcall_mbatchd_test(mbatchd_engine_test PROGRAM mbatchd_other_engine TIMEOUT 180)
