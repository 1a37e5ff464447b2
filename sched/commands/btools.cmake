# The b* commands but bsub (bsub.cmake): one program, a symbolic link for each name (query_commands.cmake).
add_executable(btools main.cpp)
target_compile_definitions(btools PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}.0, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(btools PRIVATE rollcall_batch_clients)
rollcall_static_command(btools) # people start them by the thousand
add_dependencies(btools bsub) # who builds the one wants the other
install(TARGETS btools DESTINATION bin)
