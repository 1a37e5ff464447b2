# How we compile: the language, the warnings, and the faster tools where the machine has them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include(GNUInstallDirs)

option(ROLLCALL_TESTS "build the tests and benches" ON)
option(ROLLCALL_WERROR "warnings are errors" OFF)
option(ROLLCALL_TICKETS "mbatchd gives tickets where lsf.conf does not say ROLLCALL_TICKET_LIFE (docs/decisions/0074)" OFF)
option(ROLLCALL_FUZZ "build the libFuzzer targets (needs clang)" OFF)
set(ROLLCALL_SANITIZE "" CACHE STRING "value of -fsanitize=, empty for none")

# Line numbers are what a backtrace needs; all that a debugger can want costs a third of the build. The preset dev has it.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
if(ROLLCALL_SANITIZE)
  # Unoptimised, clang builds address and undefined in a quarter of the time of -O1, and g++ needs longer than either.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g1 -D_GLIBCXX_ASSERTIONS")
elseif(ROLLCALL_FUZZ)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1") # ten seconds of fuzzing are paid with a minute of compiling
endif()

# The presets release and fuzz compile the files of a target together, eight at a time: headers are more than half of the
# work. So names of anonymous namespaces must differ within a room; what a file forgets to include the preset dev finds.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
set(ROLLCALL_QUICK_COMPILE OFF)
set(ROLLCALL_TEST_OPTIONS)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(ROLLCALL_TEST_OPTIONS -O1)
  if(CMAKE_UNITY_BUILD)
    set(ROLLCALL_QUICK_COMPILE ON)
    set(ROLLCALL_TEST_OPTIONS -Og -g0) # a fifth less than -O1 -g1; a test says by itself in which line it failed
    if(ROLLCALL_SANITIZE)
      set(ROLLCALL_TEST_OPTIONS)
    endif()
  endif()
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The words are what ccache asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized) # g++ 12 sees ghosts in std::variant of strings
  if(CMAKE_UNITY_BUILD)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>) # there every .cpp looks like a header
  endif()
  if(ROLLCALL_QUICK_COMPILE) # libstdc++ 12 has three of these off in its own header, by pragmas that a precompiled header
    # loses (docs/decisions/0052). The preset warnings, which the night builds, precompiles nothing and has them all.
    # -Wrestrict is g++'s bug 105329: "x" + text, and text = "x", where -O3 inlines them down to string::_M_replace. At -O2
    # twelve of our files with many such lines gave none; what is inlined differs with the unit that is compiled.
    add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
if(ROLLCALL_WERROR)
  add_compile_options(-Werror)
endif()
if(ROLLCALL_SANITIZE)
  add_compile_options(-fsanitize=${ROLLCALL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROLLCALL_SANITIZE})
  # What a program finds lies in findings/, also where the program's standard error is nobody's.
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/findings)
  execute_process(COMMAND chmod 1777 ${CMAKE_BINARY_DIR}/findings)
  # An object, not an archive: clang's runtime has weak defaults, and a linker takes nothing from an archive for those.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/sanitizer_options.c)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -O1 -fPIC -c ${CMAKE_SOURCE_DIR}/cmake/sanitizer_options.c
                          -o ${CMAKE_BINARY_DIR}/sanitizer_options.o -DROLLCALL_FINDINGS="${CMAKE_BINARY_DIR}/findings"
                          -DROLLCALL_SUPPRESSIONS="${CMAKE_SOURCE_DIR}/cmake/tsan_suppressions.txt"
                  COMMAND_ERROR_IS_FATAL ANY)
  add_link_options(${CMAKE_BINARY_DIR}/sanitizer_options.o)
endif()

# Sets `seconds` to a test's time limit, given the one for a machine of its own. A limit ends what hangs and judges no speed: on a
# machine shared with others everything takes several times as long, and so do programs with sanitizers.
function(rollcall_time_limit seconds limit)
  math(EXPR limit "3 * ${limit}")
  if(ROLLCALL_SANITIZE)
    math(EXPR limit "5 * ${limit}")
  endif()
  set(${seconds} ${limit} PARENT_SCOPE)
endfunction()
if(ROLLCALL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
include_directories(${CMAKE_SOURCE_DIR})
