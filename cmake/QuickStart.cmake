# Static programs that are started again and again, and two ways to make them begin faster, both off (docs/decisions/0074):
#
# ROLLCALL_QUICK_START: they begin as common/io/quick_start.c tells, which calls private functions of glibc 2.36, and libsodium
# asks nothing about the processor (plain_sodium.c). Only where a program that begins so has just run.
# ROLLCALL_NO_STREAMS: they make no std::cout and its companions (no_streams.cpp), in place of libstdc++'s std::ios_base::Init.
option(ROLLCALL_QUICK_START "static programs do not ask the processor what it can do (x86-64, glibc 2.36)" OFF)
option(ROLLCALL_NO_STREAMS "static programs have no standard streams of C++" OFF)
set(ROLLCALL_QUICK_START_OPTIONS -static -no-pie -Wl,--entry=rollcall_start)

# Whether quick_start.c was written for this C library.
include(CheckCSourceCompiles)
check_c_source_compiles("
#include <features.h>
#if !defined(__x86_64__) || __GLIBC__ != 2 || __GLIBC_MINOR__ != 36
#error \"not tested\"
#endif
int main(void) { return 0; }" ROLLCALL_QUICK_START_TESTED)

if(ROLLCALL_QUICK_START AND NOT ROLLCALL_SANITIZE AND NOT ROLLCALL_FUZZ)
  try_run(code compiled ${CMAKE_BINARY_DIR}/quick_start ${CMAKE_SOURCE_DIR}/cmake/quick_start_probe.c
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${SODIUM_INCLUDE_DIRS}
    COMPILE_DEFINITIONS -O2 -fno-stack-protector
    LINK_OPTIONS ${ROLLCALL_QUICK_START_OPTIONS}
    LINK_LIBRARIES ${SODIUM_ARCHIVE}
    COMPILE_OUTPUT_VARIABLE said)
  if(NOT compiled OR NOT code EQUAL 0)
    message(FATAL_ERROR "ROLLCALL_QUICK_START: a program that begins so does not work with this C library; configure with -DROLLCALL_QUICK_START=OFF\n${said}")
  endif()
endif()

# Makes the static program `target` begin so, where the build wants it.
function(rollcall_quick_start target)
  if(ROLLCALL_QUICK_START)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/quick_start.c)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/common/io/quick_start.c PROPERTIES
      COMPILE_OPTIONS "-O2;-fno-stack-protector")
    target_link_options(${target} PRIVATE -Wl,--entry=rollcall_start)
  endif()
endfunction()

# Makes `target` a static program, but in builds that look for errors. It uses no standard streams of C++, and looks nothing up
# itself. PLAIN_SODIUM: it encrypts a few kilobytes, so with ROLLCALL_QUICK_START libsodium asks nothing either.
function(rollcall_static_program target)
  if(ROLLCALL_SANITIZE OR ROLLCALL_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "PLAIN_SODIUM" "" "" ${ARGN})
  if(ROLLCALL_NO_STREAMS)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/common/io/no_streams.cpp)
  endif()
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
