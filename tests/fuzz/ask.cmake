# What people ask of the batch system: jobs and times on command lines, and a cluster in a file for bsched-query.
set(here ${CMAKE_CURRENT_LIST_DIR})
rollcall_fuzz(fuzz_ask_words SOURCE ${here}/fuzz_ask_words.cpp CORPUS ${here}/corpus/fuzz_ask_words LINK sched_ask)
rollcall_fuzz(fuzz_scenario SOURCE ${here}/fuzz_scenario.cpp CORPUS ${CMAKE_SOURCE_DIR}/tests/golden/schedule LINK sched_scenario)
