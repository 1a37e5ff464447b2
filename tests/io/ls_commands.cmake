# The ls* commands with a real LIM on this host.
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
rollcall_python_test(io_ls_commands SCRIPT ls_commands.py LABELS io TIMEOUT 180)
rollcall_python_test(io_lsadmin SCRIPT lsadmin.py LABELS io TIMEOUT 180)
