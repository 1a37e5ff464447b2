# What is said of sets of configuration files.
set(here ${CMAKE_CURRENT_LIST_DIR})
add_executable(conf_check ${here}/conf_check.cpp)
target_link_libraries(conf_check PRIVATE rollcall_config)
set_target_properties(conf_check PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME golden_conf COMMAND ${here}/conf/run.sh $<TARGET_FILE:conf_check> ${here}/conf)
set_tests_properties(golden_conf PROPERTIES LABELS golden TIMEOUT 60)
