# Cgroups of the jobs that RES runs.
rollcall_test(cgroup_slots_test LABEL io SOURCES cgroup_slots_test.cpp LINK rollcall_process)
