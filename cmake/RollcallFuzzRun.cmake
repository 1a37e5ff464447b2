# With a build of the preset fuzz at hand, running its targets for ten seconds each is one more test of this build: always
# from the same seed, so that it says something about the change. The night draws its seeds.
set(ROLLCALL_FUZZ_BUILD "" CACHE PATH "a build of the preset fuzz whose targets are run as a test; empty for none")
if(ROLLCALL_FUZZ_BUILD)
  add_test(NAME fuzz_ten_seconds_each COMMAND nice -n 15 ${CMAKE_SOURCE_DIR}/tests/fuzz/run_all.sh ${ROLLCALL_FUZZ_BUILD} 10 1)
  set_tests_properties(fuzz_ten_seconds_each PROPERTIES LABELS fuzz TIMEOUT 600)
endif()
