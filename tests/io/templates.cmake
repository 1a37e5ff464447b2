# The configuration templates as programs read them.
rollcall_test(templates_test LABEL io SOURCES templates_test.cpp LINK rollcall_conf rollcall_resreq)
target_compile_definitions(templates_test PRIVATE ROLLCALL_SAMPLES="${CMAKE_SOURCE_DIR}/docs/samples")
