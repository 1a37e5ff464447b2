# LIMs on several hosts, and the probe that asks them.
add_executable(lim_probe ${CMAKE_SOURCE_DIR}/tests/programs/lim_probe.cpp)
find_library(MUNGE_LIBRARY munge REQUIRED)
target_link_libraries(lim_probe PRIVATE rollcall_cluster_channel rollcall_wire ${MUNGE_LIBRARY})
set_target_properties(lim_probe PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/programs)
rollcall_python_test(cluster_lim SCRIPT lim.py LABELS cluster TIMEOUT 300)
