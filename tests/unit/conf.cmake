# The configuration files, and the values they are made of.
set(here ${CMAKE_CURRENT_LIST_DIR})
rollcall_test(base_load_test LABEL unit
  SOURCES ${here}/index_table_test.cpp ${here}/time_windows_test.cpp LINK rollcall_base)
rollcall_test(section_file_test LABEL unit
  SOURCES ${here}/section_file_test.cpp ${here}/host_names_test.cpp LINK rollcall_conf)
rollcall_test(cluster_files_test LABEL unit
  SOURCES ${here}/lsf_shared_test.cpp ${here}/lsf_cluster_test.cpp ${here}/cluster_files_test.cpp
          ${here}/kept_files_test.cpp ${here}/trusted_path_test.cpp
  LINK rollcall_conf)
rollcall_test(lsb_files_test LABEL unit
  SOURCES ${here}/lsb_values_test.cpp ${here}/lsb_files_test.cpp LINK rollcall_conf)
rollcall_property_test(section_file_property_test LABEL unit
  SOURCES ${here}/section_file_property_test.cpp LINK rollcall_conf)
