# The last step of `cmake --install`. CMake ends with a list of what it has installed, in the build folder; where that belongs
# to another user the list cannot be written, and the whole installation would end as a failure. Then it ends here, with a line.
install(CODE "set(manifest \"${CMAKE_BINARY_DIR}/install_manifest.txt\")")
install(CODE [[
  if(EXISTS "${manifest}")
    execute_process(COMMAND test -w "${manifest}" RESULT_VARIABLE unwritable)
  else()
    get_filename_component(folder "${manifest}" DIRECTORY)
    execute_process(COMMAND test -w "${folder}" RESULT_VARIABLE unwritable)
  endif()
  if(NOT unwritable EQUAL 0)
    message(STATUS "Installed; no list of the files in ${manifest}, which another user owns")
    return()
  endif()
]])
