# A file of 32 bytes in hexadecimal: what all keys are kept in.
rollcall_library(rollcall_hex_file SOURCES hex_file.cpp LINK rollcall_base ${SODIUM_ARCHIVE})
target_include_directories(rollcall_hex_file SYSTEM PUBLIC ${SODIUM_INCLUDE_DIRS})

# A conversation after its handshake, pam's and the cluster's alike.
rollcall_library(rollcall_sealed_stream SOURCES sealed_stream.cpp LINK rollcall_base rollcall_task_wire ${SODIUM_ARCHIVE})
target_include_directories(rollcall_sealed_stream SYSTEM PUBLIC ${SODIUM_INCLUDE_DIRS})

# The conversations of a cluster's daemons and their clients, the cluster's key, and who a client is by MUNGE (whose library
# is loaded when it is needed: most clusters of one user have none).
rollcall_library(rollcall_cluster_channel
  SOURCES cluster_channel.cpp cluster_channel_ticket.cpp cluster_key.cpp cluster_keys.cpp ticket.cpp munge_credential.cpp munge_library.cpp
  LINK rollcall_hex_file rollcall_sealed_stream rollcall_wire ${SODIUM_ARCHIVE} ${CMAKE_DL_LIBS})
target_include_directories(rollcall_cluster_channel SYSTEM PUBLIC ${SODIUM_INCLUDE_DIRS} PRIVATE ${MUNGE_INCLUDE_DIR})
# A static command has another in its place (rollcall_static_command()): the linker takes whole objects.
set_source_files_properties(munge_library.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
