# lsf_daemons with the real daemons of a whole cluster.
include(${CMAKE_SOURCE_DIR}/tests/support/rollcall_python_test.cmake)
rollcall_python_test(io_lsf_daemons_batch SCRIPT lsf_daemons_batch.py LABELS io TIMEOUT 240)
# Several clusters of one user.
rollcall_python_test(io_clusters_apart SCRIPT clusters_apart.py LABELS io TIMEOUT 240)
# A store that does not know what its hosts have.
rollcall_python_test(io_store_lost SCRIPT store_lost.py LABELS io TIMEOUT 240)
# Daemons that start one another again.
rollcall_python_test(io_restarts SCRIPT restarts.py LABELS io TIMEOUT 300)
