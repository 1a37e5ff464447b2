# Parameters of sites' files: those without an effect are told, those with one are in the code.
rollcall_test(known_parameters_test LABEL unit SOURCES known_parameters_test.cpp LINK rollcall_conf)
add_test(NAME known_parameters_are_true COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/known_parameters.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(known_parameters_are_true PROPERTIES LABELS unit TIMEOUT 60)
