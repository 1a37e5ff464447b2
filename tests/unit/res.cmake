# What RES and its shepherds decide.
rollcall_test(res_policy_test LABEL unit SOURCES res_accounts_test.cpp res_life_test.cpp res_cgroup_test.cpp res_hooks_test.cpp res_values_test.cpp res_report_test.cpp
  res_meant_host_test.cpp res_requests_test.cpp mpi_environment_test.cpp LINK res_policy)
target_compile_definitions(res_policy_test PRIVATE ROLLCALL_GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden/res")
