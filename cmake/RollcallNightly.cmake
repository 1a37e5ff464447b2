# The long forms of tests that CI runs in short: label nightly. Each stands for a test of the same name without it.

# Properties over a thousand times more cases. A failure prints the configuration that repeats it.
foreach(name wire_property_test pam_words_property_test roll_property_test secure_channel_property_test
        taskstarter_property_test section_file_property_test resreq_property_test load_property_test lim_property_test
        melim_property_test cluster_channel_property_test host_facts_property_test
        schedule_property_test book_property_test forward_property_test book_clusters_test hosts_of_clusters_test
        host_index_test borrowed_hosts_test lease_exports_test lease_reclaim_test lease_distribution_test)
  if(TARGET ${name})
    add_test(NAME nightly_${name} COMMAND ${name})
    set_tests_properties(nightly_${name} PROPERTIES LABELS nightly TIMEOUT 7200
                         ENVIRONMENT "RC_PARAMS=max_success=100000")
  endif()
endforeach()

# Whole clusters of LIMs, a hundred times as many of them.
if(TARGET lim_sim_test)
  add_test(NAME nightly_lim_sim_test COMMAND lim_sim_test)
  set_tests_properties(nightly_lim_sim_test PROPERTIES LABELS nightly TIMEOUT 7200 ENVIRONMENT "ROLLCALL_SIM_SEEDS=50000")
endif()

# The Book and its hosts with daemons that die, a hundred times as many.
if(TARGET book_sim_test)
  add_test(NAME nightly_book_sim_test COMMAND book_sim_test)
  set_tests_properties(nightly_book_sim_test PROPERTIES LABELS nightly TIMEOUT 7200 ENVIRONMENT "ROLLCALL_SIM_SEEDS=10000")
endif()

# Clusters that forward jobs to one another: 10,000 worlds of each kind.
foreach(name forward_sim_test forward_cycles_sim_test)
  if(TARGET ${name})
    add_test(NAME nightly_${name} COMMAND ${name})
    set_tests_properties(nightly_${name} PROPERTIES LABELS nightly TIMEOUT 14400 ENVIRONMENT "ROLLCALL_SIM_SEEDS=10000")
  endif()
endforeach()

# Jobs on hosts of two clusters: 10,000 worlds.
if(TARGET part_sim_test)
  add_test(NAME nightly_part_sim_test COMMAND part_sim_test)
  set_tests_properties(nightly_part_sim_test PROPERTIES LABELS nightly TIMEOUT 14400 ENVIRONMENT "ROLLCALL_SIM_SEEDS=10000")
endif()

# Leases of one consumer and of two with restarts and two masters: 20,000 worlds of each kind.
if(TARGET lease_sim_test)
  add_test(NAME nightly_lease_sim_test COMMAND lease_sim_test)
  set_tests_properties(nightly_lease_sim_test PROPERTIES LABELS nightly TIMEOUT 7200 ENVIRONMENT "ROLLCALL_SIM_SEEDS=20000")
endif()

# Faults that are planted in the steppers of forwarding and preemption: the simulation finds each.
if(NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_FUZZ)
  add_test(NAME nightly_planted_faults
           COMMAND ${CMAKE_SOURCE_DIR}/tests/sim/planted_faults.py --place ${CMAKE_BINARY_DIR}/planted_faults)
  set_tests_properties(nightly_planted_faults PROPERTIES LABELS nightly TIMEOUT 14400 RUN_SERIAL ON)
endif()

# All recorded decisions of the Book and the cycle.
if(TARGET decision_recorder)
  add_test(NAME nightly_decisions_unchanged
           COMMAND ${CMAKE_SOURCE_DIR}/tests/sim/check_decisions.sh $<TARGET_FILE:decision_recorder>
                   ${CMAKE_SOURCE_DIR}/tests/sim/decisions.txt 10000 10000)
  set_tests_properties(nightly_decisions_unchanged PROPERTIES LABELS nightly TIMEOUT 7200)
endif()

# RES, shepherd and TaskStarter of the release before, built from its commit, under this mbatchd and pam.
add_test(NAME nightly_old_hosts
         COMMAND ${CMAKE_SOURCE_DIR}/tests/nightly/old_build.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(nightly_old_hosts PROPERTIES LABELS nightly TIMEOUT 3600 SKIP_RETURN_CODE 77)

if(TARGET bench_registration AND TARGET pam AND TARGET TaskStarter)
  add_test(NAME nightly_registration_of_a_hundred_thousand
           COMMAND bench_registration --pam $<TARGET_FILE:pam> --tasks 100000 --wave 15000 --runs 3)
  set_tests_properties(nightly_registration_of_a_hundred_thousand PROPERTIES LABELS nightly TIMEOUT 1800 RUN_SERIAL ON)
endif()

# Every launcher, bare and under pam, again and again: a run that breaks fails it, a figure never does.
add_test(NAME nightly_launches COMMAND ${CMAKE_SOURCE_DIR}/bench/launch --build ${CMAKE_BINARY_DIR} --runs 25)
set_tests_properties(nightly_launches PROPERTIES LABELS nightly TIMEOUT 7200 RUN_SERIAL ON SKIP_RETURN_CODE 77)

# The programs with sanitizers in them, under the tests that start them: builds of their own in build/asan and build/tsan of
# this source tree. A finding in any program, also in a daemon or a shepherd, fails the test.
function(rollcall_nightly_sanitizer preset labels)
  add_test(NAME nightly_${preset} COMMAND ${CMAKE_SOURCE_DIR}/tests/nightly/sanitized.sh ${CMAKE_SOURCE_DIR} ${preset} ${labels})
  set_tests_properties(nightly_${preset} PROPERTIES LABELS nightly TIMEOUT 36000 RUN_SERIAL ON)
endfunction()
if(NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_FUZZ)
  rollcall_nightly_sanitizer(asan "^(unit|io|cluster)$")
  rollcall_nightly_sanitizer(tsan "^(unit|io|cluster)$")
  add_test(NAME sanitized_self_test COMMAND ${CMAKE_SOURCE_DIR}/tests/nightly/sanitized_self_test.sh)
  set_tests_properties(sanitized_self_test PROPERTIES LABELS unit TIMEOUT 300)

  # The warnings of g++ that the preset release has not, where headers are precompiled (RollcallTools.cmake), and that the
  # preset dev cannot give: g++ looks for them only where it optimises.
  add_test(NAME nightly_warnings COMMAND ${CMAKE_SOURCE_DIR}/tests/nightly/built.sh ${CMAKE_SOURCE_DIR} warnings)
  set_tests_properties(nightly_warnings PROPERTIES LABELS nightly TIMEOUT 14400 RUN_SERIAL ON)
endif()

# How the cost of mbatchd's work grows: fails where a curve is steeper than linear.
if(TARGET bench_growth)
  add_test(NAME nightly_growth COMMAND bench_growth --judge)
  set_tests_properties(nightly_growth PROPERTIES LABELS nightly TIMEOUT 1800 RUN_SERIAL ON)
endif()
