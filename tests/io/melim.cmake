# MELIM with real elims: sound ones, and every kind that is not.
add_executable(elim_c_example ${CMAKE_SOURCE_DIR}/docs/samples/examples/elim.c)
set_target_properties(elim_c_example PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
rollcall_library(melim_stage SOURCES melim_stage.cpp LINK rollcall_process rollcall_wire GTest::gtest GTest::gmock)
target_compile_definitions(melim_stage PUBLIC
  ROLLCALL_MELIM="$<TARGET_FILE:melim>" ROLLCALL_FAKES="${CMAKE_SOURCE_DIR}/tests/fakes/elims"
  ROLLCALL_EXAMPLES="${CMAKE_SOURCE_DIR}/docs/samples/examples" ROLLCALL_EXAMPLE_C="$<TARGET_FILE:elim_c_example>")
foreach(part elims faults)
  rollcall_test(melim_${part}_test LABEL io SOURCES melim_${part}_test.cpp LINK melim_stage TIMEOUT 180)
  add_dependencies(melim_${part}_test melim elim_c_example)
endforeach()
