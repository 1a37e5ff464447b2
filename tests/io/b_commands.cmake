# The b* commands with real daemons on this host.
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
rollcall_python_test(io_b_commands SCRIPT b_commands.py LABELS io TIMEOUT 240)
rollcall_python_test(io_b_display SCRIPT b_display.py LABELS io TIMEOUT 240)
