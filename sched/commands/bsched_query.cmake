# bsched-query: the scheduler on a file, for people who ask what it would do.
add_executable(bsched-query bsched_query.cpp)
target_compile_definitions(bsched-query PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}.0, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(bsched-query PRIVATE sched_scenario rollcall_commands)
install(TARGETS bsched-query DESTINATION bin)
