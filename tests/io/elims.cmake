# The shipped elims as MELIM starts them.
add_test(NAME shipped_elims_test
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/shipped_elims_test.sh ${CMAKE_BINARY_DIR}/etc ${CMAKE_SOURCE_DIR}/tests/fixtures/machines
          ${CMAKE_SOURCE_DIR}/docs/samples/hwloc.conf.sample)
set_tests_properties(shipped_elims_test PROPERTIES LABELS io TIMEOUT 60)
