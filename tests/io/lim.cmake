# LIM's shell, a piece at a time.
rollcall_test(links_test LABEL io SOURCES links_test.cpp LINK rollcall_links)
rollcall_test(peer_holder_test LABEL io SOURCES peer_holder_test.cpp LINK rollcall_peer_holder)
rollcall_test(dialing_test LABEL io SOURCES dialing_test.cpp LINK rollcall_links)
rollcall_test(lim_http_test LABEL io SOURCES lim_http_test.cpp LINK lim_shell)
rollcall_test(lim_melim_child_test LABEL io SOURCES lim_melim_child_test.cpp LINK lim_shell)
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
rollcall_python_test(io_lim_claims SCRIPT lim_claims.py LABELS io TIMEOUT 120)
rollcall_python_test(io_lim_faults SCRIPT lim_faults.py LABELS io TIMEOUT 240)
