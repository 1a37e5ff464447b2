# The ls* commands: one program, a symbolic link for each name.
add_executable(lstools main.cpp load_request.cpp load_options.cpp watch.cpp screen.cpp
  lsid.cpp lsinfo.cpp lshosts.cpp lsload.cpp lsmon.cpp lsplace.cpp lseligible.cpp lsresreq.cpp
  lsadmin.cpp lsadmin_lim.cpp lsadmin_files.cpp start_checks.cpp)
target_compile_definitions(lstools PRIVATE
  ROLLCALL_PRODUCT="Rollcall, LSF-compatible, ${PROJECT_VERSION}.0, ${ROLLCALL_RELEASE_DATE}")
target_link_libraries(lstools PRIVATE
  answers_view_policy show_policy rollcall_resreq rollcall_commands rollcall_batch_clients)

foreach(name lsid lsclusters lsinfo lshosts lsload lsmon lsplace lseligible lsresreq lsadmin)
  add_custom_command(TARGET lstools POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink lstools ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} VERBATIM)
  install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION bin)
endforeach()
install(TARGETS lstools DESTINATION bin)
