# What threads of the daemons read stays where it is.
add_test(NAME architecture_environment
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/check_environment.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(architecture_environment PROPERTIES LABELS unit TIMEOUT 60)
