# The b* commands: one program, a symbolic link for each name.
add_executable(btools main.cpp
  bsub.cpp esub_run.cpp await_job.cpp interactive_job.cpp)
target_compile_definitions(btools PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(btools PRIVATE
  sched_submit rollcall_batch_clients rollcall_stream_client rollcall_local_time)
rollcall_static_command(btools) # people start them by the thousand

foreach(name bsub)
  add_custom_command(TARGET btools POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink btools ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} VERBATIM)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION bin)
endforeach()
install(TARGETS btools DESTINATION bin)
