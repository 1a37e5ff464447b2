# The few kinds of targets this project has. A room's CMakeLists.txt says what it holds, not how it is built.

# rollcall_library(NAME SOURCES... LINK libs...): a static archive.
function(rollcall_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# rollcall_quick_build(NAME): for tests: they are compiled more often than they are run.
function(rollcall_quick_build name)
  if(NOT TARGET test_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/generated/test_headers.cpp "// Only to be compiled with the headers of all tests.\n")
    add_library(test_headers STATIC ${CMAKE_BINARY_DIR}/generated/test_headers.cpp)
    # batch.pb.h has all messages of the batch system, whose tests are half of all: with it a test compiles in four fifths of the time.
    target_link_libraries(test_headers PRIVATE GTest::gtest GTest::gmock rollcall_wire)
    target_compile_options(test_headers PRIVATE ${ROLLCALL_TEST_OPTIONS})
    target_precompile_headers(test_headers PRIVATE
      <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span> <sstream> <string> <string_view>
      <unordered_map> <variant> <vector> <gmock/gmock.h> <gtest/gtest.h> <boost/system/result.hpp> <common/wire/batch.pb.h>)
  endif()
  target_compile_options(${name} PRIVATE ${ROLLCALL_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM test_headers)
endfunction()

# rollcall_position_independent(NAME): the archive NAME and all of the project's archives that it links may go into a shared object.
# The global property ROLLCALL_INDEPENDENT lists them. The linker of an executable removes their indirections.
function(rollcall_position_independent name)
  get_target_property(done ${name} POSITION_INDEPENDENT_CODE)
  if(done)
    return()
  endif()
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)
  set_property(GLOBAL APPEND PROPERTY ROLLCALL_INDEPENDENT ${name})
  get_target_property(linked ${name} LINK_LIBRARIES)
  foreach(library ${linked})
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(imported ${library} IMPORTED)
      if(type STREQUAL "STATIC_LIBRARY" AND NOT imported)
        rollcall_position_independent(${library})
      endif()
    endif()
  endforeach()
endfunction()

# rollcall_precompile(FOLDERS...): the headers that half of the files include are read once for all targets of these
# folders, where builds are to be quick: what a file forgets to include the preset dev finds.
function(rollcall_precompile)
  if(NOT ROLLCALL_QUICK_COMPILE)
    return()
  endif()
  if(NOT TARGET standard_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/generated/standard_headers.cpp "// Only to be compiled with the headers of most files.\n")
    foreach(headers standard_headers independent_headers) # for each way of compiling
      add_library(${headers} STATIC ${CMAKE_BINARY_DIR}/generated/standard_headers.cpp)
      target_precompile_headers(${headers} PRIVATE
        <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
        <unordered_map> <variant> <vector> <boost/system/result.hpp>)
    endforeach()
    rollcall_position_independent(independent_headers)
  endif()
  foreach(folder ${ARGN})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      get_target_property(sources ${target} SOURCES)
      if((type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "EXECUTABLE") AND NOT "${sources}" MATCHES "\\.c(;|$)")
        get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
        if(independent)
          target_precompile_headers(${target} REUSE_FROM independent_headers)
        else()
          target_precompile_headers(${target} REUSE_FROM standard_headers)
        endif()
      endif()
    endforeach()
    get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    rollcall_precompile(${inner})
  endforeach()
endfunction()

# rollcall_test(NAME LABEL label SOURCES... LINK libs... [TIMEOUT s]): one GoogleTest program, one CTest per program.
function(rollcall_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINK;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  rollcall_time_limit(ARG_TIMEOUT ${ARG_TIMEOUT})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  rollcall_quick_build(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
                       ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# rollcall_skipped_test(NAME LABEL label REASON text): stands for a test that this build cannot run: ctest counts it as skipped.
function(rollcall_skipped_test name)
  cmake_parse_arguments(ARG "" "LABEL;REASON" "" ${ARGN})
  add_test(NAME ${name} COMMAND sh -c "echo \"skipped: $1\"; exit 77" sh "${ARG_REASON}")
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} SKIP_RETURN_CODE 77 TIMEOUT 10)
endfunction()

# rollcall_property_test(...): the same with RapidCheck: always from the same seed, so that it says something about the change.
# The night draws its seeds (RollcallNightly.cmake).
function(rollcall_property_test name)
  if(NOT RAPIDCHECK_LIBRARY)
    message(FATAL_ERROR "librapidcheck-dev is missing: the property tests cannot be built")
  endif()
  rollcall_test(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${RAPIDCHECK_LIBRARY})
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "RC_PARAMS=seed=1")
endfunction()

# With a build of the preset fuzz at hand, its target goes over the corpus, and for ten seconds further: always from the same
# seed, so that it says something about the change. That gives way (nice) to the tests beside it, which wait more than they
# work. The night draws its seeds.
set(ROLLCALL_FUZZ_BUILD "" CACHE PATH "a build of the preset fuzz whose targets are run as tests; empty for none")
function(rollcall_fuzz_run name corpus)
  set(run ${CMAKE_SOURCE_DIR}/tests/fuzz/common/run_one.sh ${ROLLCALL_FUZZ_BUILD}/fuzz/${name} ${corpus})
  if(NOT TARGET ${name})
    add_test(NAME ${name}_corpus COMMAND ${run} 0)
    set_tests_properties(${name}_corpus PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()
  add_test(NAME ${name}_ten_seconds COMMAND nice -n 15 ${run} 10 1)
  set_tests_properties(${name}_ten_seconds PROPERTIES LABELS fuzz TIMEOUT 300)
  add_test(NAME nightly_${name} COMMAND ${run} 600)
  set_tests_properties(nightly_${name} PROPERTIES LABELS nightly TIMEOUT 1200)
endfunction()

# rollcall_fuzz(NAME SOURCE file CORPUS dir LINK libs... [REPLAY]): built with the preset fuzz. Elsewhere it is replayed over
# its corpus, unless such a build at hand does that (with sanitizers); REPLAY: even then.
function(rollcall_fuzz name)
  cmake_parse_arguments(ARG "REPLAY" "SOURCE;CORPUS" "LINK" ${ARGN})
  if(ROLLCALL_FUZZ)
    add_executable(${name} ${ARG_SOURCE})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  elseif(ARG_REPLAY OR NOT ROLLCALL_FUZZ_BUILD)
    add_executable(${name} ${ARG_SOURCE} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME ${name}_corpus COMMAND ${name} ${ARG_CORPUS})
    set_tests_properties(${name}_corpus PROPERTIES LABELS fuzz TIMEOUT 300)
  endif()
  if(TARGET ${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  endif()
  if(ROLLCALL_FUZZ_BUILD AND NOT ROLLCALL_FUZZ)
    rollcall_fuzz_run(${name} ${ARG_CORPUS})
  endif()
endfunction()
