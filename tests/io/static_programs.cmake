# Programs that need nothing of a host to start (cmake/QuickStart.cmake).
if(ROLLCALL_SANITIZE)
  foreach(program shepherd btools bsub restools taskstarter)
    rollcall_skipped_test(${program}_links_test LABEL io REASON "programs with sanitizers are not static")
  endforeach()
elseif(NOT ROLLCALL_FUZZ)
  add_test(NAME shepherd_links_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/static_program_test.sh $<TARGET_FILE:shepherd>)
  set_tests_properties(shepherd_links_test PROPERTIES LABELS io TIMEOUT 20)
  if(MUNGE_ARCHIVE)
    add_test(NAME btools_links_test
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/static_program_test.sh $<TARGET_FILE:btools> bjobs -V)
    add_test(NAME bsub_links_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/static_program_test.sh $<TARGET_FILE:bsub>)
    add_test(NAME restools_links_test
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/static_program_test.sh $<TARGET_FILE:restools> lsrun -V)
    set_tests_properties(btools_links_test bsub_links_test restools_links_test PROPERTIES LABELS io TIMEOUT 20)
  endif()
endif()
