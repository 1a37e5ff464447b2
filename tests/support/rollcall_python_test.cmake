# rollcall_python_test(NAME SCRIPT file LABELS labels... TIMEOUT seconds [ARGUMENTS words...]): one CTest that runs a
# file of tests/support's runner. Each has hosts of its own and waits more than it works: two of them run at a time, beside
# unit tests and the fuzzers, which give way. The longest begin first.
find_program(ROLLCALL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT ROLLCALL_PYTHON)
  message(FATAL_ERROR "/usr/bin/python3 is missing (Debian package python3): the tests with real processes need it; "
                      "-DROLLCALL_TESTS=OFF builds without tests")
endif()

function(rollcall_python_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  # Two lanes of about the same length, by the time that each test may take.
  get_property(used GLOBAL PROPERTY rollcall_lanes)
  if(NOT used)
    set(used 0 0)
  endif()
  list(GET used 0 first)
  list(GET used 1 second)
  if(first GREATER second)
    set(lane second)
  else()
    set(lane first)
  endif()
  math(EXPR ${lane} "${${lane}} + ${ARG_TIMEOUT}")
  set_property(GLOBAL PROPERTY rollcall_lanes ${first} ${second})
  add_test(NAME ${name}
    COMMAND ${ROLLCALL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} --build ${CMAKE_BINARY_DIR} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 RESOURCE_LOCK machine_${lane} COST ${ARG_TIMEOUT}
    ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/support;PYTHONDONTWRITEBYTECODE=1")
endfunction()
