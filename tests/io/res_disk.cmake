# RES on a full disk.
rollcall_test(res_disk_test LABEL io SOURCES res_disk_test.cpp LINK res_stage TIMEOUT 120)
add_dependencies(res_disk_test res shepherd)
