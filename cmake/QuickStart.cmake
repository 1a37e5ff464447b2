# ROLLCALL_QUICK_START: whether TaskStarter begins as taskstarter/quick_start.c tells. By default where it was tested with
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
  set(ROLLCALL_QUICK_START ${works} CACHE BOOL "TaskStarter does not ask the processor what it can do")
  message(STATUS "TaskStarter begins quickly: ${works}")
endif()

# Makes the static program `target` begin so, where that works.
function(rollcall_quick_start target)
  if(NOT ROLLCALL_QUICK_START)
    return()
  endif()
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/taskstarter/quick_start.c
                                   ${CMAKE_SOURCE_DIR}/taskstarter/plain_sodium.c)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/taskstarter/quick_start.c PROPERTIES
    COMPILE_OPTIONS "-O2;-fno-stack-protector")
  target_link_options(${target} PRIVATE -Wl,--entry=rollcall_start)
endfunction()
