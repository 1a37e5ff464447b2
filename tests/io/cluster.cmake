# The cluster's channel and key.
rollcall_test(cluster_channel_test LABEL io SOURCES cluster_channel_test.cpp LINK rollcall_cluster_channel)
rollcall_property_test(cluster_channel_property_test LABEL io
  SOURCES cluster_channel_property_test.cpp LINK rollcall_cluster_channel)
rollcall_test(cluster_key_test LABEL io SOURCES cluster_key_test.cpp LINK rollcall_cluster_channel)
rollcall_test(munge_credential_test LABEL io
  SOURCES munge_credential_test.cpp LINK rollcall_cluster_channel rollcall_process munge)
rollcall_test(munge_asker_test LABEL io SOURCES munge_asker_test.cpp LINK rollcall_munge_asker)
rollcall_test(host_claims_test LABEL io SOURCES host_claims_test.cpp LINK rollcall_host_claims)
rollcall_test(cluster_vectors_test LABEL io SOURCES cluster_vectors_test.cpp LINK rollcall_cluster_channel)
target_compile_definitions(cluster_vectors_test PRIVATE ROLLCALL_PROTOCOL_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/protocol.md")
