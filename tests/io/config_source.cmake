# The configuration files of a host.
rollcall_test(config_source_test LABEL io SOURCES ${CMAKE_CURRENT_LIST_DIR}/config_source_test.cpp LINK rollcall_config)
