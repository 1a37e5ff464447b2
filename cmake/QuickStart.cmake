# Static programs that are started again and again.
#
# ROLLCALL_QUICK_START: whether they begin as common/io/quick_start.c tells. By default where it was tested with
# this C library, and where a program that begins so has just run; OFF says no.
set(ROLLCALL_QUICK_START_OPTIONS -static -no-pie -Wl,--entry=rollcall_start)

if(NOT DEFINED ROLLCALL_QUICK_START)
  set(works FALSE)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT CMAKE_CROSSCOMPILING AND NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_FUZZ)
    try_run(code compiled ${CMAKE_BINARY_DIR}/quick_start ${CMAKE_SOURCE_DIR}/cmake/quick_start_probe.c
      CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${SODIUM_INCLUDE_DIRS}
      COMPILE_DEFINITIONS -O2 -fno-stack-protector
      LINK_OPTIONS ${ROLLCALL_QUICK_START_OPTIONS}
      LINK_LIBRARIES ${SODIUM_ARCHIVE}
      COMPILE_OUTPUT_VARIABLE said)
    if(compiled AND code EQUAL 0)
      set(works TRUE)
    endif()
  endif()
  set(ROLLCALL_QUICK_START ${works} CACHE BOOL "static programs do not ask the processor what it can do")
  message(STATUS "static programs begin quickly: ${works}")
endif()

# Makes the static program `target` begin so, where that works.
function(rollcall_quick_start target)
  if(ROLLCALL_QUICK_START)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/quick_start.c)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/common/io/quick_start.c PROPERTIES
      COMPILE_OPTIONS "-O2;-fno-stack-protector")
    target_link_options(${target} PRIVATE -Wl,--entry=rollcall_start)
  endif()
endfunction()

# Makes `target` a static program that begins quickly, but in builds that look for errors. It makes no standard streams, and
# looks nothing up itself. PLAIN_SODIUM: for one that encrypts a few kilobytes, libsodium asks nothing either.
function(rollcall_static_program target)
  if(ROLLCALL_SANITIZE OR ROLLCALL_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "PLAIN_SODIUM" "" "" ${ARGN})
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/no_streams.cpp)
  target_link_options(${target} PRIVATE -static -no-pie -Wl,--gc-sections)
  rollcall_quick_start(${target})
  if(ARG_PLAIN_SODIUM AND ROLLCALL_QUICK_START)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/plain_sodium.c)
  endif()
endfunction()

# The same for a command of the cluster: it finds hosts without the modules of name services, and has MUNGE's library in it.
# Where that cannot be linked (no libmunge.a) the command is dynamic as ever.
find_library(MUNGE_ARCHIVE libmunge.a)
function(rollcall_static_command target)
  if(MUNGE_ARCHIVE AND NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_FUZZ)
    rollcall_static_program(${target} ${ARGN})
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/static_host_lookup.cpp
                                     ${CMAKE_SOURCE_DIR}/common/io/static_munge_library.cpp)
    target_include_directories(${target} SYSTEM PRIVATE ${MUNGE_INCLUDE_DIR})
    target_link_libraries(${target} PRIVATE ${MUNGE_ARCHIVE})
  endif()
endfunction()
