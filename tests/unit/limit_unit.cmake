# LSF_UNIT_FOR_LIMITS in every file, and in rusage.
rollcall_test(limit_unit_test LABEL unit SOURCES limit_unit_test.cpp LINK rollcall_conf rollcall_resreq)
