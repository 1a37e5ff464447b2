# Connections that say nothing, held by one user against all daemons.
add_executable(connection_holder ${CMAKE_SOURCE_DIR}/tests/programs/connection_holder.cpp)
target_link_libraries(connection_holder PRIVATE rollcall_cluster_channel)
set_target_properties(connection_holder PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/programs)
rollcall_python_test(cluster_connections SCRIPT connections.py LABELS cluster TIMEOUT 240)
