# bsub: a program of its own, since most of what it costs is its beginning and its end: it has in it what a submission needs.
add_executable(bsub bsub_main.cpp bsub.cpp esub_run.cpp await_job.cpp interactive_job.cpp submit_context.cpp)
target_compile_definitions(bsub PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}.0, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(bsub PRIVATE
  sched_submit rollcall_batch_clients rollcall_stream_client rollcall_local_time)
rollcall_static_command(bsub PLAIN_SODIUM) # people start it by the thousand
# It was a link to btools, through which a linker would write.
add_custom_command(TARGET bsub PRE_LINK
  COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/bsub VERBATIM)
install(TARGETS bsub DESTINATION bin)
