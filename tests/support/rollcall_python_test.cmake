# rollcall_python_test(NAME SCRIPT file LABELS labels... TIMEOUT seconds [ARGUMENTS words...]): one CTest that runs a
# file of tests/support's runner. They start many processes and time some of them, so one of them runs at a time; beside it
# may run what waits for nothing: unit tests, and the fuzzers, which give way.
find_program(ROLLCALL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT ROLLCALL_PYTHON)
  message(FATAL_ERROR "/usr/bin/python3 is missing (Debian package python3): the tests with real processes need it; "
                      "-DROLLCALL_TESTS=OFF builds without tests")
endif()

function(rollcall_python_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  add_test(NAME ${name}
    COMMAND ${ROLLCALL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} --build ${CMAKE_BINARY_DIR} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 RESOURCE_LOCK machine
    ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/support;PYTHONDONTWRITEBYTECODE=1")
endfunction()
