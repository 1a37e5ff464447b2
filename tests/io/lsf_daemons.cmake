# lsf_daemons with the real daemons of a whole cluster.
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
rollcall_python_test(io_lsf_daemons_batch SCRIPT lsf_daemons_batch.py LABELS io TIMEOUT 240)
# Several clusters of one user.
rollcall_python_test(io_clusters_apart SCRIPT clusters_apart.py LABELS io TIMEOUT 240)
