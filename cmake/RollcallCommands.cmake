# The table of commands (commands.txt), for the rooms that build them and for the man pages.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/commands.txt)

# Sets `commands` to the rows of the table, "NAME;PROGRAM;PAGE" with "|" for ";".
macro(rollcall_commands)
  file(STRINGS ${CMAKE_SOURCE_DIR}/cmake/commands.txt commands REGEX "^[a-z]")
  list(TRANSFORM commands REPLACE " +" "|")
endmacro()

# rollcall_command_links(PROGRAM): a symbolic link in the build for each name of the table that the program answers to, and
# their installation.
function(rollcall_command_links program)
  rollcall_commands()
  foreach(row ${commands})
    string(REPLACE "|" ";" row ${row})
    list(GET row 0 name)
    list(GET row 1 owner)
    if(owner STREQUAL program AND NOT name STREQUAL program)
      add_custom_command(TARGET ${program} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E create_symlink ${program} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} VERBATIM)
      install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION bin)
    endif()
  endforeach()
endfunction()
