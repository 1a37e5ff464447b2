# rollcall_python_test(NAME SCRIPT file LABELS labels... TIMEOUT seconds [ARGUMENTS words...]): one CTest that runs a
# file of tests/support's runner. Each has hosts of its own and waits much more than it works: four of them run at a time,
# in lanes, beside unit tests and the fuzzers, which give way. The longest begin first.
find_program(ROLLCALL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT ROLLCALL_PYTHON)
  message(FATAL_ERROR "/usr/bin/python3 is missing (Debian package python3): the tests with real processes need it; "
                      "-DROLLCALL_TESTS=OFF builds without tests")
endif()

# About how many seconds the long ones last, so that the lanes are of about the same length. All others: 8.
set(rollcall_long_tests
  cluster_chaos 105 cluster_faults 45 cluster_links 53 cluster_lim_clock 52 cluster_signals_hydra 51 io_pam_rules 61 cluster_signals_openmpi 43
  cluster_elims 32 cluster_programs_openmpi 29 io_lim_faults 29 cluster_killed_openmpi 26 cluster_lim 22 cluster_submit 32
  cluster_starts 45 cluster_stopped 20 io_b_commands 17 cluster_slurm 16 cluster_batch_clock 16 io_lsf_daemons 15 cluster_other_launchers 14
  io_lim_claims 13 io_task_relay 12 io_pam_strangers 12 cluster_gpus 12 cluster_parallel_users 11 cluster_attacks 12
  cluster_connections 25 cluster_patience 60 cluster_waiting_commands 36 cluster_res_controls 36
  cluster_admin_page 50 cluster_bare_mpirun 18 io_restarts 22)

# Sets `lane` to the shortest of the lanes and `seconds` to what the test adds to it.
function(rollcall_next_lane name)
  list(FIND rollcall_long_tests ${name} at)
  set(seconds 8)
  if(at GREATER_EQUAL 0)
    math(EXPR at "${at} + 1")
    list(GET rollcall_long_tests ${at} seconds)
  endif()
  get_property(lengths GLOBAL PROPERTY rollcall_lanes)
  if(NOT lengths)
    set(lengths 0 0 0 0)
  endif()
  set(lane 0)
  foreach(other 1 2 3)
    list(GET lengths ${lane} shortest)
    list(GET lengths ${other} length)
    if(length LESS shortest)
      set(lane ${other})
    endif()
  endforeach()
  list(GET lengths ${lane} length)
  math(EXPR length "${length} + ${seconds}")
  list(REMOVE_AT lengths ${lane})
  list(INSERT lengths ${lane} ${length})
  set_property(GLOBAL PROPERTY rollcall_lanes "${lengths}")
  set(lane ${lane} PARENT_SCOPE)
  set(seconds ${seconds} PARENT_SCOPE)
endfunction()

function(rollcall_python_test name)
  cmake_parse_arguments(ARG "" "SCRIPT;TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  rollcall_next_lane(${name})
  rollcall_time_limit(ARG_TIMEOUT ${ARG_TIMEOUT})
  add_test(NAME ${name}
    COMMAND ${ROLLCALL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SCRIPT} --build ${CMAKE_BINARY_DIR} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77 RESOURCE_LOCK lane_${lane} COST ${seconds}
    ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}/tests/support;PYTHONDONTWRITEBYTECODE=1")
endfunction()
