# Reading hosts: fixture trees of several machines, and this one.
rollcall_library(machine_trees SOURCES machine_trees.cpp LINK lim_reader GTest::gtest)
target_compile_definitions(machine_trees PRIVATE ROLLCALL_MACHINES="${CMAKE_SOURCE_DIR}/tests/fixtures/machines")
rollcall_test(lim_reader_test LABEL io
  SOURCES lim_sampler_test.cpp lim_detect_test.cpp lim_reader_here_test.cpp topology_test.cpp LINK machine_trees)
