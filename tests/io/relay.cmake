# TaskStarters that speak to pam through their shepherd, with real processes.
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
add_executable(relay_host relay_host.cpp)
set_target_properties(relay_host PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(relay_host PRIVATE shepherd_shell)
rollcall_python_test(io_task_relay SCRIPT task_relay.py LABELS io TIMEOUT 120)
rollcall_test(pam_shepherds_test LABEL io SOURCES pam_shepherds_test.cpp LINK pam_starters)
