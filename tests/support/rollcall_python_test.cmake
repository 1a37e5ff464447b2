# rollcall_python_test(NAME SCRIPT file LABELS labels... TIMEOUT seconds [COST seconds] [ARGUMENTS words...]): one CTest that
# runs a file of tests/support's runner. Each has hosts of its own and waits much more than it works: four of them run at a
# time (RESOURCE_GROUPS; cmake/test_resources.json has four slots), beside unit tests and the fuzzers, which give way.
# COST: about how long it lasts, 8 seconds by default; CTest begins the longest first, and later goes by what it measured.
find_program(ROLLCALL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT ROLLCALL_PYTHON)
  message(FATAL_ERROR "/usr/bin/python3 is missing (Debian package python3): the tests with real processes need it; "
                      "-DROLLCALL_TESTS=OFF builds without tests")
endif()

function(rollcall_python_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;TIMEOUT;COST" "LABELS;ARGUMENTS" ${ARGN})
  if(NOT ARG_COST)
    set(ARG_COST 8)
  endif()
  rollcall_time_limit(ARG_TIMEOUT ${ARG_TIMEOUT})
  add_test(NAME ${name}
    COMMAND ${ROLLCALL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} --build ${CMAKE_BINARY_DIR} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 RESOURCE_GROUPS "clusters:1" COST ${ARG_COST}
    ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/support;PYTHONDONTWRITEBYTECODE=1")
endfunction()
