# bsub against an mbatchd that is none.
rollcall_test(bsub_fake_mbatchd_test LABEL io SOURCES bsub_fake_mbatchd_test.cpp LINK rollcall_batch_clients TIMEOUT 120)
target_compile_definitions(bsub_fake_mbatchd_test PRIVATE ROLLCALL_BSUB="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/bsub")
add_dependencies(bsub_fake_mbatchd_test bsub)
