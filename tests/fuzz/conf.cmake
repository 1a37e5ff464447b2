# The configuration files.
set(here ${CMAKE_CURRENT_LIST_DIR})
foreach(name fuzz_section_file fuzz_lsf_cluster fuzz_lsb_files)
  rollcall_fuzz(${name} SOURCE ${here}/${name}.cpp CORPUS ${here}/corpus/${name} LINK rollcall_conf)
endforeach()
