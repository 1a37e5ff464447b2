# blaunch, lsrun, lsgrun, lsrcp: one program, a symbolic link for each name.
add_executable(restools main.cpp remote_tasks.cpp blaunch.cpp lsrun.cpp lsgrun.cpp lsrcp.cpp)
target_compile_definitions(restools PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}.0, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(restools PRIVATE launch_policy rollcall_batch_clients rollcall_stream_client)
rollcall_static_command(restools) # a launcher starts one for each host

foreach(name blaunch lsrun lsgrun lsrcp)
  add_custom_command(TARGET restools POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink restools ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} VERBATIM)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION bin)
endforeach()
install(TARGETS restools DESTINATION bin)
