# LIMs on several hosts, and the probe that asks them.
add_executable(lim_probe ${CMAKE_SOURCE_DIR}/tests/programs/lim_probe.cpp)
find_library(MUNGE_LIBRARY munge REQUIRED)
target_link_libraries(lim_probe PRIVATE rollcall_cluster_channel rollcall_wire ${MUNGE_LIBRARY})
set_target_properties(lim_probe PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/programs)
rollcall_python_test(cluster_lim SCRIPT lim.py LABELS cluster TIMEOUT 300)
rollcall_python_test(cluster_elims SCRIPT elims.py LABELS cluster TIMEOUT 300)
# Clocks that are set while LIMs run.
if(NOT ROLLCALL_FUZZ)
  add_library(stepped_clock MODULE ${CMAKE_SOURCE_DIR}/tests/programs/stepped_clock.c)
  set_target_properties(stepped_clock PROPERTIES
    C_STANDARD 11 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/programs
    COMPILE_OPTIONS "-O1;-Wall;-Wextra" LINK_OPTIONS "")
  rollcall_python_test(cluster_lim_clock SCRIPT lim_clock.py LABELS cluster TIMEOUT 240)
  rollcall_python_test(cluster_batch_clock SCRIPT batch_clock.py LABELS cluster TIMEOUT 180)
endif()
