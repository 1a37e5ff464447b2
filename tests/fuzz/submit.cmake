foreach(target fuzz_submit_options fuzz_submit_script)
  rollcall_fuzz(${target} SOURCE ${target}.cpp CORPUS ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${target} LINK sched_submit)
endforeach()
